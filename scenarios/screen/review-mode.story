Esc in the review withdraws the request, and the phase is review again (PM-140). Shift+Tab changes the mode at any time, also in the review: the
request is withdrawn, nothing is approved, and the mode that the user chose applies (PM-17, PM-80).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "{plan}", "old_string": "Guess", "new_string": "Count"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "As you like."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< 1 approve
press esc
< Plan waits
--- shows
> count the users

● Write plan (<slug>.md)  new file, 3 lines
    1   # Count
    2
    3   1. Guess

╭─● Plan waits for your decision: ctrl+p opens it ────────────────────────────╮
│ Count                                                                       │
│                                                                             │
│ 1. Guess                                                                    │
╰─────────────────────────────────────────────────────────────────────────────╯

  A plan is ready: ctrl+p opens it

›

⏸ plan mode on (shift+tab to cycle) · exit  claude-sonnet-5-5 · <n>%

--- keys
> again
press enter
< Plan rev 2
press shift+tab
< As you like.
< /help
press ctrl+d
--- exit 0
--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"count the users"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n","sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5"}
ask {"askId":"<id>","kind":"plan"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Guess\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","steps":[{"id":"1","title":"Guess","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user has not decided about the plan yet: it is neither approved nor rejected, and it keeps waiting. Plan mode is still on. Do nothing more now; the user's a…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"keepPlanning","feedback":"again"}}
plan {"slug":"<slug>","revision":1,"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","outcome":"rejected"}
reminder {"kind":"plan_feedback","text":"The user did not approve the plan at $HOME/.cutonce/plans/<slug>.md; the user's message is the feedback on it. Plan mode is still on: change nothing but the pla…"}
user {"text":"again"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"Guess","new_string":"Count"}},{"type":"tool_use","id":"toolu_0002_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md","sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5"}
tool {"callId":"toolu_0002_00","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"Guess","new_string":"Count"},"output":[{"type":"text","text":"Edited $HOME/.cutonce/plans/<slug>.md:\n1\t# Count\n2\t\n3\t1. Count"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":2,"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Count\n","sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9"}
ask {"askId":"<id>","kind":"plan"}
mode {"from":"plan","to":"default","by":"user"}
tool {"callId":"toolu_0002_01","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Count\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"cabdc3d55e209acf6f5416fe710ab00940fe748f5cbe48d07517bfd88c78b2a9","steps":[{"id":"1","title":"Count","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user changed the mode to default while the plan was waiting, so the request was withdrawn: the plan is neither approved nor rejected. Do not implement it un…"}],"isError":true,"decision":{"behavior":"deny","reason":"the mode was changed meanwhile"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"As you like."}],"stop":"end_turn"}

