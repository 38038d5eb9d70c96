`plan.names: "task"` names the plan after the first message of the stay, for every way into plan mode (PM-51): letters and digits of any script. Cycling through plan mode without a message reserves no name.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly", "names": "task"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "by flag"},
  {"text": "no plan mode yet"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "by slash"},
  {"text": "other talk"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "by description"},
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "by the model"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "after clear"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "by setting"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "by a host's request"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]}, {"text": "by a host's words"}
]}
--- run cutonce -p --permission-mode plan "Migrate auth, please"
--- exit 0
--- run cutonce --plain
--- talk
< >
> something else first
< no plan mode yet
< >
> /plan
< Enabled plan mode
> /plan off
< Left plan mode
> /mode plan
< Enabled plan mode
> Починить вход
< by slash
< >
> /exit
--- exit 0
--- run cutonce --plain
--- talk
< >
> other talk
< other talk
< >
> /plan Add a delete button
< by description
< >
> /exit
--- exit 0
--- run cutonce --plain "ログインを直す"
--- talk
< by the model
< >
> /clear
> Then another task
< after clear
< >
> /exit
--- exit 0
--- run cutonce -p --settings '{"permissions": {"defaultMode": "plan"}}' "Say hello twice"
--- exit 0
--- stdin
{"type":"control_request","request_id":"1","request":{"subtype":"set_permission_mode","mode":"plan"}}
{"type":"user","message":{"role":"user","content":"Paint the door"}}
--- run cutonce -p --input-format stream-json --output-format stream-json --verbose
--- exit 0
--- stdin
{"type":"user","message":{"role":"user","content":"/plan Oil the hinge"}}
--- run cutonce -p --input-format stream-json --output-format stream-json --verbose
--- exit 0
--- sh
ls "$HOME/.cutonce/plans" | sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2}/DATE/' | sort > names.txt; ls "$HOME/.cutonce/plans/.reserved" | wc -l >> names.txt
--- disk
created names.txt
  DATE-add-a-delete-button.md
  DATE-migrate-auth-please.md
  DATE-oil-the-hinge.md
  DATE-paint-the-door.md
  DATE-say-hello-twice.md
  DATE-then-another-task.md
  DATE-починить-вход.md
  DATE-ログインを直す.md
  8
