If no session could be opened, nothing is stored for a session that the user may open later (UI-9, UI-15). Every command says what to do, `/clear`
starts a new session, and a resumed session gets only its own input. Without a key the setup opens; after it, `/setup` and `/model` work.

--- model
{"turns": [{"text": "First answer."}, {"text": "Second answer."}, {"text": "Third answer."}]}
--- run cutonce -p "first words"
--- exit 0
--- pty 80x24 cutonce --resume nosuch
--- keys
< No session. /resume picks one
> /compact
press enter
> /init
press enter
> /theme dark
press enter
< Theme: dark
gone Compacting
> /resume
press enter
< first words
press enter
< First answer.
> go on
press enter
< Second answer.
gone esc to interrupt
press ctrl+d
--- exit 0
--- seen
request 1
  user: first words
request 2
  assistant: First answer.
  user: go on

--- file s.json
{"turns": [{"text": "Here I am."}]}
--- env ANTHROPIC_API_KEY=
--- env OPENAI_API_KEY=
--- pty 80x24 cutonce
--- keys
< Number:
press esc
< No session yet. /setup chooses a provider
> hello there
press enter
< Not sent; your text is kept
press ctrl+u
> /model scripted/$WS/s.json
press enter
< Starting a new session with scripted/
> hello again
press enter
< Here I am.
gone esc to interrupt
press ctrl+d
--- exit 0
