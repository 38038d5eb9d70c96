A model that can't be used is refused when it is named (MO-1), the status line follows a model that can, and without a key the menu of commands and /model say what to do (UI-9).

--- model
{"turns": [{"text": "Hi."}]}
--- pty 80x24 cutonce
--- keys
< claude-
> /model sonettwo three
press enter
< a name has no spaces
> /model olama/qwen3
press enter
< Did you mean ollama/qwen3?
> /model sonett
press enter
< Did you mean sonnet?
> /model haiku
press enter
< Model: claude-haiku-5-5, from your next message
--- shows
! `sonettwo three` is not a model: a name has no spaces. Still using
  claude-sonnet-5-5.
! Unknown provider `olama`. Did you mean ollama/qwen3? Still using
  claude-sonnet-5-5.
! Unknown model `sonett`. Did you mean sonnet? Still using claude-sonnet-5-5.
  Model: claude-haiku-5-5, from your next message

›

/help                                                          claude-haiku-5-5

--- keys
press ctrl+d
--- exit 0
--- run cutonce -p --model olama/qwen3 hi
--- exit 1
--- stderr
cutonce: Unknown provider `olama`. Did you mean ollama/qwen3?

--- env ANTHROPIC_API_KEY=
--- env OPENAI_API_KEY=
--- pty 80x24 cutonce
--- keys
< Number:
press esc
< No session yet
> /mod
< choose or set the model
press ctrl+u
> /model
press enter
press enter
< /setup chooses a provider
press ctrl+c ctrl+c
--- exit 0
