A start without a key opens a setup (ON-3): a wrong key is refused in one line, the right one is checked with one request and stored in a file that only the user can read, and the session that follows needs no restart. The first message is not lost. The next start finds the key.

--- model
{"turns": [{"text": "Here I am."}, {"text": "Here again."}], "accepted_key": "sk-ant-right-0001"}
--- env ANTHROPIC_API_KEY=
--- env OPENAI_API_KEY=
--- pty 80x24 cutonce "say something"
--- keys
< Number:
--- shows
cutonce needs a model. Choose one:

  1  Anthropic   with a key from console.anthropic.com/settings/keys
  2  OpenAI      with a key from platform.openai.com/api-keys
  3  OpenRouter  with a key from openrouter.ai/settings/keys
  4  DeepSeek    with a key from platform.deepseek.com/api_keys
  5  Groq        with a key from console.groq.com/keys
  6  xAI         with a key from console.x.ai
  7  Demo        a scripted model, no key and no network

r looks again for Ollama, llama.cpp, LM Studio and vLLM. Enter leaves.
Number:

--- keys
> 77
press enter
< Type a number from 1 to
> 1
press enter
< Get a key at https://console.anthropic.com/settings/keys
< it is not shown
paste sk-ant-wrong-0009
press enter
< anthropic refused the key (401): invalid x-api-key. Copy it again
paste sk-ant-right-0001
press enter
< Anthropic accepts the key
< Here I am.
gone esc to interrupt
--- history
cutonce needs a model. Choose one:

  1  Anthropic   with a key from console.anthropic.com/settings/keys
  2  OpenAI      with a key from platform.openai.com/api-keys
  3  OpenRouter  with a key from openrouter.ai/settings/keys
  4  DeepSeek    with a key from platform.deepseek.com/api_keys
  5  Groq        with a key from console.groq.com/keys
  6  xAI         with a key from console.x.ai
  7  Demo        a scripted model, no key and no network

r looks again for Ollama, llama.cpp, LM Studio and vLLM. Enter leaves.
Number: 77
Type a number from 1 to 7, r or Enter.
Number: 1

Get a key at https://console.anthropic.com/settings/keys
Paste it and press Enter (it is not shown, Esc goes back):
Checking the key …
✗ anthropic refused the key (401): invalid x-api-key. Copy it again from
  console.anthropic.com/settings/keys and paste it here.
Paste it and press Enter (it is not shown, Esc goes back):
Checking the key …
✓ Anthropic accepts the key.
✓ Stored in $HOME/.cutonce/auth.json; only you can read it.
✓ Model: scripted. /model changes it.
> say something

● Here I am.

›

/help  scripted · <n>% · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- sh
test "$(stat -c %a "$HOME/.cutonce/auth.json")" = 600
grep -q '"ANTHROPIC_API_KEY": "sk-ant-right-0001"' "$HOME/.cutonce/auth.json"
! grep -rq sk-ant- "$HOME/.cutonce" --exclude=auth.json
--- run cutonce -p again
--- exit 0
--- stdout
Here again.
