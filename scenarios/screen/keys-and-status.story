`?` shows the keys of the screen one is on; keys of the settings have another action and a bad one is named in one line; the user's status line command gets JSON and prints a line (DU-7).

--- file ~/.cutonce/settings.json
{"keys": {"ctrl+s": "send", "q": "send"}, "statusLine": {"type": "command", "command": "grep -oE '\"(id|permission_mode)\":\"[a-zA-Z0-9-]*\"' | tr '\\n' ' '"}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch made"}}]},
  {"text": "Never said."}
]}
--- pty 80x24 cutonce
--- keys
< `keys` in the settings: `q` is not a key
< "id":"claude-sonnet-5-5" "permission_mode":"default"
press shift+tab
< "id":"claude-sonnet-5-5" "permission_mode":"acceptEdits"
press shift+tab
< "id":"claude-sonnet-5-5" "permission_mode":"plan"
press shift+tab
< "id":"claude-sonnet-5-5" "permission_mode":"default"
> ?
< Keys of this screen
< ctrl+s enter
press esc
gone Keys of this screen
> make it
press ctrl+s
< esc stops
> ?
< no, and stop the turn
press esc
gone Keys of this screen
press esc
< Interrupted. Tell the agent what to do instead.
press ctrl+d
--- exit 0
--- disk
nothing changed

