An agent asks through the session, with its name (SA-1); a yes that comes after plan mode was entered lifts nothing (PM-61, PM-64).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "write", "prompt": "Write twice.", "subagent_type": "general-purpose"}}]},
  {"when": "You carry out a task", "calls": [{"name": "Write", "input": {"file_path": "one.txt", "content": "1\n"}}]},
  {"when": "You carry out a task", "calls": [{"name": "Write", "input": {"file_path": "two.txt", "content": "2\n"}}]},
  {"when": "You carry out a task", "text": "One of two."},
  {"when": "You are cutonce", "text": "It wrote one."}
]}
--- run cutonce --plain "go"
--- talk
< answer:
> 1
< answer:
> /plan
< Enabled plan mode
> 1
< It wrote one.
< >
> /exit
--- stdout

? Write (of the general-purpose agent) wants to create: Edits need your OK in default mode
  | --- /dev/null
  | +++ one.txt
  | @@ -0,0 +1 @@
  | +1
  1 yes
  2 yes, and don't ask again here for Edit(./one.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./one.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: 
? Write (of the general-purpose agent) wants to create: Edits need your OK in default mode
  | --- /dev/null
  | +++ two.txt
  | @@ -0,0 +1 @@
  | +2
  1 yes
  2 yes, and don't ask again here for Edit(./two.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./two.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: It wrote one.

>

--- disk
created one.txt
  1

