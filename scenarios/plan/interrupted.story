Only an explicit approval approves (PM-80). An interrupt while the dialog is open leaves plan mode on, and the plan can be submitted again. If the
user changes the mode, the request is withdrawn and the chosen mode applies (PM-17).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Write b\n"}}, {"name": "ExitPlanMode", "input": {}},
             {"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}, {"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}}]},
  {"text": "the mode changed under me"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
! kill -INT $PID
< (interrupted)
< >
> /mode
< The mode is plan
> submit it again
< answer
> /mode default
< wants to
> 3
< the mode changed under me
< >
> /mode
< The mode is default
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Write b

  0 files change, 0 created, 0 deleted · 0 checks · 1 step approved

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
answer (a number, optionally with text): (interrupted)

> 
> 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Write b

  0 files change, 0 created, 0 deleted · 0 checks · 1 step approved

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, d diff to the last submission, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): 
? Write wants to create: Edits need your OK in default mode
  | --- /dev/null
  | +++ b.txt
  | @@ -0,0 +1 @@
  | +b
  1 yes
  2 yes, and don't ask again here for Edit(./b.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./b.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: the mode changed under me

> 
>

--- stderr
● Write $HOME/.cutonce/plans/<slug>.md
✗ Submit the plan: The plan was not approved: the user interrupted. Plan mode is still on and the plan at $HOME/.cutonce/plans/<slug>.md is kept. It can be submitted again with ExitPlanMode.
✗ Write Not run: the turn was ended before this call.
The mode is plan. Others: default, acceptEdits.
mode: default
The mode is now default.
✗ Write The user refused this Write call. Do not try it again; ask what to do instead.
The mode is default. Others: acceptEdits, plan.

--- seen
request 1
  user: task
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n"}
  assistant: call ExitPlanMode {}
  assistant: call Write {"file_path":"b.txt","content":"b\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: error: The plan was not approved: the user interrupted. Plan mode is still on and the plan at $HOME/.cutonce/plans/<slug>.md is kept. It can be submitted again with ExitPlanMode.
  user: error: Not run: the turn was ended before this call.
  user: [Request interrupted by user for tool use]
  user: submit it again
request 3
  assistant: call ExitPlanMode {}
  assistant: call Write {"file_path":"b.txt","content":"b\n"}
  user: error: The user changed the mode to default while the plan was waiting, so the request was withdrawn: the plan is neither approved nor rejected. Do not implement it unless the user asks for it.
  user: error: The user refused this Write call. Do not try it again; ask what to do instead.
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}},{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"b.txt","content":"b\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n","sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"unusable","why":"the user interrupted"}}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Write b\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","steps":[{"id":"1","title":"Write b","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The plan was not approved: the user interrupted. Plan mode is still on and the plan at $HOME/.cutonce/plans/<slug>.md is kept. It can be submitted again with Ex…"}],"isError":true,"decision":{"behavior":"deny","reason":"the user interrupted"}}
tool {"callId":"toolu_0001_02","name":"Write","input":{"file_path":"b.txt","content":"b\n"},"output":[{"type":"text","text":"Not run: the turn was ended before this call."}],"isError":true,"decision":{"behavior":"deny","reason":"the turn ended before it"}}
user {"text":"[Request interrupted by user for tool use]","meta":true}
user {"text":"submit it again"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"ExitPlanMode","input":{}},{"type":"tool_use","id":"toolu_0002_01","name":"Write","input":{"file_path":"b.txt","content":"b\n"}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":1,"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","outcome":"submitted"}
ask {"askId":"<id>","kind":"plan"}
mode {"from":"plan","to":"default","by":"user"}
tool {"callId":"toolu_0002_00","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Write b\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","steps":[{"id":"1","title":"Write b","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user changed the mode to default while the plan was waiting, so the request was withdrawn: the plan is neither approved nor rejected. Do not implement it un…"}],"isError":true,"decision":{"behavior":"deny","reason":"the mode was changed meanwhile"}}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"deny","message":"","interrupt":false}}
tool {"callId":"toolu_0002_01","name":"Write","input":{"file_path":"b.txt","content":"b\n"},"output":[{"type":"text","text":"The user refused this Write call. Do not try it again; ask what to do instead."}],"isError":true,"decision":{"behavior":"deny","reason":"the user refused it"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"the mode changed under me"}],"stop":"end_turn"}

--- disk
nothing changed

