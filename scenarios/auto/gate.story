The gate (PM-120, PM-83): without opt-in, or closed by settings or environment, auto mode can't be entered. If the classifier gives no clear verdict,
the user is asked; three failures in a row close the gate. Then the mode is default, the suspended rules apply again, and the model is informed once
(PM-123).

--- file ~/.cutonce/settings.json
{"auto": {"enabled": true}, "permissions": {"allow": ["Bash(touch:*)"]}}
--- model
{"turns": [
  {"when": "Call to judge: Write", "text": "allow"},
  {"when": "Call to judge: Write", "text": "{\"verdict\": \"allow\"}"},
  {"when": "Call to judge: Bash", "fault": {"status": 400, "message": "no such model"}},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "a\n"}}, {"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}},
             {"name": "Bash", "input": {"command": "touch c.txt"}}, {"name": "Bash", "input": {"command": "touch d.txt"}}]},
  {"text": "done"},
  {"text": "here I am"}
]}
--- run cutonce --plain --permission-mode auto "write"
--- talk
< auto mode leaves it to you
< answer:
> 1
< auto mode leaves it to you
< answer:
> 3
< done
< >
> /mode auto
< gate is closed
> more
< here I am
< >
> /exit
--- exit 0
--- stdout

> 
? Write wants to create: Edits need your OK in auto mode; auto mode leaves it to you: it could not be judged (no verdict: expected value at line 1 column 1)
  | --- /dev/null
  | +++ a.txt
  | @@ -0,0 +1 @@
  | +a
  1 yes
  2 yes, and don't ask again here for Edit(./a.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./a.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: 
? Write wants to create: Edits need your OK in auto mode; auto mode leaves it to you: it could not be judged (no verdict: missing field `reason` at line 1 column 20)
  | --- /dev/null
  | +++ b.txt
  | @@ -0,0 +1 @@
  | +b
  1 yes
  2 yes, and don't ask again here for Edit(./b.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./b.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: done

> 
> here I am

>

--- stderr
Suspended in auto mode: Bash(touch:*).
warning: Auto mode could not judge a call (1 of 3): no verdict: expected value at line 1 column 1
● Write a.txt
warning: Auto mode could not judge a call (2 of 3): no verdict: missing field `reason` at line 1 column 20
✗ Write The user refused this Write call. Do not try it again; ask what to do instead.
warning: Auto mode could not judge a call 3 times in a row: its gate is closed until the next start. anthropic refused the request (400): no such model
warning: Back in default mode instead of auto: auto mode's gate is closed (`auto.gate`, CUTONCE_AUTO_GATE, or a classifier that failed too often).
● Bash touch c.txt
● Bash touch d.txt
The mode is still default: auto mode's gate is closed (`auto.gate`, CUTONCE_AUTO_GATE, or a classifier that failed too often).

--- disk
created a.txt
  a
created c.txt
created d.txt

--- transcript
session {}
mode {"from":"default","to":"auto","by":"start"}
user {"text":"write"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"a.txt","content":"a\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"Write","input":{"file_path":"b.txt","content":"b\n"}},{"type":"tool_use","id":"toolu_0001_02","name":"Bash","input":{"command":"touch c.txt"}},{"type":"tool_use","id":"toolu_0001_03","name":"Bash","input":{"command":"touch d.txt"}}],"stop":"tool_use"}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"allow","remember":[]}}
file_snapshot {"key":"before","path":"$WS/a.txt"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"a.txt","content":"a\n"},"output":[{"type":"text","text":"Created a.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"the user allowed it; auto mode had asked: it could not be judged (no verdict: expected value at line 1 column 1)"}}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"deny","message":"","interrupt":false}}
tool {"callId":"toolu_0001_01","name":"Write","input":{"file_path":"b.txt","content":"b\n"},"output":[{"type":"text","text":"The user refused this Write call. Do not try it again; ask what to do instead."}],"isError":true,"decision":{"behavior":"deny","reason":"the user refused it; auto mode had asked: it could not be judged (no verdict: missing field `reason` at line 1 column 20)"}}
mode {"from":"auto","to":"default","by":"start"}
tool {"callId":"toolu_0001_02","name":"Bash","input":{"command":"touch c.txt"},"output":[{"type":"text","text":"(no output)"}],"isError":false,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash(touch:*)` from ~/.cutonce/settings.json","rule":"Bash(touch:*)","source":"user"}}
tool {"callId":"toolu_0001_03","name":"Bash","input":{"command":"touch d.txt"},"output":[{"type":"text","text":"(no output)"}],"isError":false,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash(touch:*)` from ~/.cutonce/settings.json","rule":"Bash(touch:*)","source":"user"}}
reminder {"kind":"auto_mode_exit","text":"Auto mode is off. Calls are no longer approved automatically: the user may be asked, and you should ask rather than assume."}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}
user {"text":"more"}
assistant {"blocks":[{"type":"text","text":"here I am"}],"stop":"end_turn"}

--- run cutonce -p "x" --permission-mode auto --settings '{"auto": {"gate": false}}' --max-turns 1
--- stderr
cutonce: Starting in default mode instead of auto: auto mode's gate is closed (`auto.gate`, CUTONCE_AUTO_GATE, or a classifier that failed too often).
cutonce: anthropic refused the request (400): the scenario is over: all turns were used after 6 requests
Sending it again would not help.

--- env CUTONCE_AUTO_GATE=off
--- run cutonce -p "x" --permission-mode auto
--- stderr
cutonce: Starting in default mode instead of auto: auto mode's gate is closed (`auto.gate`, CUTONCE_AUTO_GATE, or a classifier that failed too often).
cutonce: anthropic refused the request (400): the scenario is over: all turns were used after 6 requests
Sending it again would not help.

--- env CUTONCE_AUTO_GATE=perhaps
--- run cutonce -p "x" --permission-mode auto --settings '{"auto": {"enabled": false}}'
--- stderr
cutonce: CUTONCE_AUTO_GATE is neither on nor off; ignored
cutonce: Starting in default mode instead of auto: auto mode is not enabled: set `auto.enabled` in the settings.
cutonce: anthropic refused the request (400): the scenario is over: all turns were used after 6 requests
Sending it again would not help.

