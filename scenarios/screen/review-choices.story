Each of the six choices at the screen, with the mode it leads to (PM-74, PM-140): 3 back to the earlier mode, 6 exit plan mode, 5 request changes, 2 ask at each edit, 1 accept edits, and 4 with one of them: the context is cleared first (PM-81). Esc takes back what is armed; nothing is chosen without Enter.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Count\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Went on as before."},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "Still planning."},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "Asking at each edit."},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "Accepting edits."},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "Begun anew."}
]}
--- pty 80x24 cutonce --dangerously-skip-permissions
--- keys
< bypass permissions on
> /plan first task
press enter
< approve → accept edits
gone keys choose in a moment
--- shows
 Plan rev 1: Count
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count ────────────────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count
     2
     3   1. Count












────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → bypass
 3 approve → back to bypass  c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press 1
< enter confirm
press esc
< esc decide later
press 3
< enter confirm
--- shows
 Plan rev 1: Count
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count ────────────────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count
     2
     3   1. Count












──  Approve rev 1 (sha cabdc3) → back to bypass  ───────────────────────────────
 Nothing is sent along. Context is kept. The agent starts at once.


 enter confirm                                                         esc back

--- keys
press enter
< Went on as before.
gone interrupt
< bypass permissions on
> /plan second task
press enter
< approve → accept edits
gone keys choose in a moment
press 6
< enter confirm
--- shows
 Plan rev 2: Count
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count ────────────────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count
     2
     3   1. Count












──  Exit plan mode → bypass, keep rev 2  ───────────────────────────────────────
 Nothing runs, the turn ends, the plan stays in its file. Nothing is sent
 along.

 enter confirm                                                         esc back

--- keys
press enter
< bypass permissions on
gone interrupt
> /plan third task
press enter
< approve → accept edits
gone keys choose in a moment
press 5
< enter send and keep planning
press enter
< Still planning.
< ⏸ plan mode on
gone interrupt
> submit it
press enter
< approve → accept edits
gone keys choose in a moment
press 2
< enter confirm
--- shows
 Plan rev 2: Count
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count ────────────────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count
     2
     3   1. Count












──  Approve rev 2 (sha cabdc3) → ask at each edit  ─────────────────────────────
 Nothing is sent along. Context is kept. The agent starts at once.


 enter confirm                                                         esc back

--- keys
press enter
< Asking at each edit.
gone plan mode on
gone interrupt
> /plan fifth task
press enter
< approve → accept edits
gone keys choose in a moment
press 1
< enter confirm
press enter
< Accepting edits.
< accept edits on
gone interrupt
> /plan sixth task
press enter
< approve → accept edits
gone keys choose in a moment
press 4
< [x] clear context first
press 1
< enter confirm
--- shows
 Plan rev 4: Count
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count ────────────────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Count
     2
     3   1. Count












──  Approve rev 4 (sha cabdc3) → accept edits  ─────────────────────────────────
 Nothing is sent along. The context (1% in use) is cleared, only the plan
 stays. The agent starts at once.

 enter confirm                                                         esc back

--- keys
press enter
< Begun anew.
< accept edits on
gone interrupt
press ctrl+d
--- exit 0
--- transcript
session {}
mode {"from":"default","to":"bypassPermissions","by":"start"}
session {"slug":"<slug>"}
mode {"from":"bypassPermissions","to":"plan","by":"user"}
user {"text":"first task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Count\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Count\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Count\n","sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"restore"}}
mode {"from":"plan","to":"bypassPermissions","by":"user"}
plan {"slug":"<slug>","revision":1,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"approved"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Count\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","steps":[{"id":"1","title":"Count","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now bypassPermissions. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.c…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"Went on as before."}],"stop":"end_turn"}
mode {"from":"bypassPermissions","to":"plan","by":"user"}
user {"text":"second task"}
reminder {"kind":"plan_mode_reentry","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"You are back in plan mode, and there is a plan from before at $HOME/.cutonce/plans/<slug>.md. First read it and compare it with what the user asks for now. Anot…"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":2,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"submitted"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"leave"}}
plan {"slug":"<slug>","revision":2,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"left"}
mode {"from":"plan","to":"bypassPermissions","by":"user"}
tool {"callId":"toolu_0003_00","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Count\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","steps":[{"id":"1","title":"Count","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user left plan mode without approving and kept the plan at $HOME/.cutonce/plans/<slug>.md. Do not implement it. Wait for the user's next message."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
mode {"from":"bypassPermissions","to":"plan","by":"user"}
user {"text":"third task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":2,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"submitted"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"keepPlanning"}}
plan {"slug":"<slug>","revision":2,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"rejected"}
tool {"callId":"toolu_0004_00","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Count\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","steps":[{"id":"1","title":"Count","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.\n\nThe user gave no reason; ask with As…"}],"isError":true,"decision":{"behavior":"deny","reason":"the user keeps planning"}}
assistant {"blocks":[{"type":"text","text":"Still planning."}],"stop":"end_turn"}
user {"text":"submit it"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0006_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":2,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"submitted"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"default"}}
mode {"from":"plan","to":"default","by":"user"}
plan {"slug":"<slug>","revision":2,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"approved"}
tool {"callId":"toolu_0006_00","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Count\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","steps":[{"id":"1","title":"Count","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now default. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce/pla…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"Asking at each edit."}],"stop":"end_turn"}
mode {"from":"default","to":"plan","by":"user"}
user {"text":"fifth task"}
reminder {"kind":"plan_mode_reentry","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"You are back in plan mode, and there is a plan from before at $HOME/.cutonce/plans/<slug>.md. First read it and compare it with what the user asks for now. Anot…"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0008_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":3,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"submitted"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits"}}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":3,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"approved"}
tool {"callId":"toolu_0008_00","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Count\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","steps":[{"id":"1","title":"Count","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"Accepting edits."}],"stop":"end_turn"}
mode {"from":"acceptEdits","to":"plan","by":"user"}
user {"text":"sixth task"}
reminder {"kind":"plan_mode_reentry","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"You are back in plan mode, and there is a plan from before at $HOME/.cutonce/plans/<slug>.md. First read it and compare it with what the user asks for now. Anot…"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0010_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":4,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"submitted"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"clear","mode":"acceptEdits"}}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":4,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"approved"}
tool {"callId":"toolu_0010_00","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Count\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","steps":[{"id":"1","title":"Count","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
clear {}
session {"slug":"<slug>"}
user {"text":"Implement this plan. The user approved it, and it is saved at $HOME/.cutonce/plans/<slug>.md. If you must deviate from it, say so.\n\n# Count\n\n1. Count\n","meta":true,"planContent":"# Count\n\n1. Count\n"}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"Begun anew."}],"stop":"end_turn"}

