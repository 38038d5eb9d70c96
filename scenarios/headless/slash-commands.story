A prompt of `-p` is read like a typed line: `/plan TASK` plans, a user-defined command is filled in, a path is text; an unknown command sends nothing.
What comes from standard input calls nothing: others can have written it (UI-9, CL-1).

--- file ~/.cutonce/commands/greet.md
Greet $ARGUMENTS.

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Sign the cookie\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Hello Ann."},
  {"text": "It is a path."},
  {"text": "I got a text."}
]}
--- run cutonce -p "/plan sign the cookie"
--- exit 0
--- stdout
# Plan

1. Sign the cookie

--- run cutonce -p "/greet Ann"
--- exit 0
--- transcript
session {}
user {"text":"Greet Ann."}
assistant {"blocks":[{"type":"text","text":"Hello Ann."}],"stop":"end_turn"}

--- run cutonce -p "/etc/hosts is broken"
--- exit 0
--- transcript
session {}
user {"text":"/etc/hosts is broken"}
assistant {"blocks":[{"type":"text","text":"It is a path."}],"stop":"end_turn"}

--- stdin
/greet Bob
--- run cutonce -p
--- exit 0
--- transcript
session {}
user {"text":"/greet Bob"}
assistant {"blocks":[{"type":"text","text":"I got a text."}],"stop":"end_turn"}

--- run cutonce -p "/gret Ann"
--- exit 2
--- stderr
cutonce: Unknown command /gret; nothing was sent. Did you mean /greet?

--- run cutonce -p "/clear"
--- exit 2
--- stderr
cutonce: /clear is not available here; nothing was sent.

--- run cutonce -p "/plan off"
--- exit 2
--- stderr
cutonce: with -p, `/plan` takes a task: cutonce -p "/plan TASK". Its other forms need a conversation

