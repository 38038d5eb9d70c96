A model server that runs on this machine is offered (ON-3), here at the place that OLLAMA_HOST names. Esc leaves the setup; then /setup brings it back. A key that can't be checked is not stored, and the reason is one line: no connection.

--- model
{"turns": [{"text": "I am local."}]}
--- env ANTHROPIC_API_KEY=
--- env OPENAI_API_KEY=
--- env ANTHROPIC_BASE_URL=http://127.0.0.1:1
--- env OLLAMA_HOST=$MODEL
--- pty 80x12 cutonce
--- keys
< Number:
press esc
< No session yet. /setup chooses a provider
> /setup
press enter
gone /help
< runs on this machine, 1 model, no key
> 1
press enter
< it is not shown
paste sk-ant-0001
press enter
< no connection to http://127.0.0.1:1
press enter
> 7
press enter
< Model: scripted
< /help
> hello
press enter
< I am local.
gone esc to interrupt
press ctrl+d
--- exit 0
--- sh
! test -e "$HOME/.cutonce/auth.json"
grep -q '"main": "ollama/scripted"' "$HOME/.cutonce/settings.json"
