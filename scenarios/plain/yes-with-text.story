A yes followed by text is no answer, because the text would be lost: the user must answer a plain yes, or a no with the text (PM-80, UI-5). A comment
needs an existing line.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch one; touch two"}}]},
  {"text": "not done"},
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Two steps\n\n1. one\n2. two\n"}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "only one then"}
]}
--- run cutonce --plain
--- talk
< >
> do both
< answer: 
> yes but not the second one
< takes no text
< answer: 
> 1 and be quick
< takes no text
< answer: 
> 2 for ever
< takes no text
< answer: 
> 3 only the first
< not done
< >
> plan it
< answer 
> c 99 what is this
< There is no line 99
< answer: 
> 1
< Press Enter to confirm
> yes but first remove step 2
< takes no text
< answer: 
> 5 remove step 2
< Press Enter to confirm
> yes
< only one then
< >
> /exit
--- exit 0
--- stdout

> 
? Bash wants to run: File commands need your OK in default mode (`touch one`)
  | touch one; touch two
  1 yes
  2 yes, and don't ask again here for Bash(touch one), Bash(touch two) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch one), Bash(touch two)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: A yes takes no text; nothing was answered. `3 TEXT` says no and sends the text.
answer: A yes takes no text; nothing was answered. `3 TEXT` says no and sends the text.
answer: A yes takes no text; nothing was answered. `3 TEXT` says no and sends the text.
answer: not done

> 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Two steps
    2  
    3  1. one
    4  2. two

  0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): There is no line 99 (1 to 4).
answer: Will approve rev 1 (sha 628c2a) and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: A yes takes no text; nothing was chosen. `5 TEXT` keeps planning with that text.
answer: Will approve nothing and keep planning; your text: remove step 2.
Press Enter to confirm, or enter another choice.
answer: only one then

>

--- disk
nothing changed

--- transcript
session {}
user {"text":"do both"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"touch one; touch two"}}],"stop":"tool_use"}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"deny","message":"only the first","interrupt":false}}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"touch one; touch two"},"output":[{"type":"text","text":"The user refused this Bash call and said: only the first"}],"isError":true,"decision":{"behavior":"deny","reason":"the user refused it"}}
assistant {"blocks":[{"type":"text","text":"not done"}],"stop":"end_turn"}
user {"text":"plan it"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"EnterPlanMode","input":{}}],"stop":"tool_use"}
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"model"}
tool {"callId":"toolu_0003_00","name":"EnterPlanMode","input":{},"output":[{"type":"text","text":"Plan mode is on. Explore the code and design the approach; edit nothing yet. Finish with ExitPlanMode, which asks the user to approve the plan. Detailed instruc…"}],"isError":false,"decision":{"behavior":"allow","reason":"Session tools are allowed in default mode"}}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Two steps\n\n1. one\n2. two\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0004_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Two steps\n\n1. one\n2. two\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (4 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0005_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":1,"sha256":"628c2a2635fee0f8d2592a43a138b9da3cd5dbade0f93483026de4cdd927f6c5","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Two steps\n\n1. one\n2. two\n","sha256":"628c2a2635fee0f8d2592a43a138b9da3cd5dbade0f93483026de4cdd927f6c5"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"keepPlanning","feedback":"remove step 2"}}
plan {"slug":"<slug>","revision":1,"sha256":"628c2a2635fee0f8d2592a43a138b9da3cd5dbade0f93483026de4cdd927f6c5","outcome":"rejected"}
tool {"callId":"toolu_0005_00","name":"ExitPlanMode","input":{"plan":"# Two steps\n\n1. one\n2. two\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"628c2a2635fee0f8d2592a43a138b9da3cd5dbade0f93483026de4cdd927f6c5","steps":[{"id":"1","title":"one","lines":[3,3],"files":[],"checks":[],"after":[]},{"id":"2","title":"two","lines":[4,4],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.\n\nFeedback from the user:\nremove step …"}],"isError":true,"decision":{"behavior":"deny","reason":"the user keeps planning"}}
assistant {"blocks":[{"type":"text","text":"only one then"}],"stop":"end_turn"}

