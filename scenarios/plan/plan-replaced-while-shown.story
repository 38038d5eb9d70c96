Only the approved text runs (PM-84): the plan file is replaced while the dialog is open, and the approval of the old text approves nothing. The new
text is shown with the diff and needs its own approval. If the file was deleted meanwhile, only exiting is offered.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Harmless\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "implemented"},
  {"text": "nothing to implement"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> c 3 a comment that must not be lost
< 1 comment is sent
< answer:
! sed -i 's/Harmless/Delete everything/' $PLAN
> 1
< Press Enter to confirm
< answer:
> y
< Exit plan mode?
< answer
! rm $PLAN
> 1
< Press Enter to confirm
< answer:
> y
< There is no plan
< answer
! printf '# Plan\n\n1. Third\n' > $PLAN
> 1
< Press Enter to confirm
< answer:
> y
< Third
< answer
> 1
< Press Enter to confirm
< answer:
> y
< implemented
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Harmless

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
answer (a number, optionally with text): 1 comment is sent with your choice.
answer: Will approve rev 1 (sha 3cb25b) and continue in acceptEdits; 1 comment.
Press Enter to confirm, or enter another choice.
answer: 
? Exit plan mode?
  plan rev 2 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Delete everything

  changed since it was shown:
  | @@ -1,3 +1,3 @@
  |  # Plan
  |
  | -1. Harmless
  | +1. Delete everything

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
answer (a number, optionally with text): Will approve rev 2 (sha 03db39) and continue in acceptEdits; 1 comment.
Press Enter to confirm, or enter another choice.
answer: 
? Exit plan mode?
  There is no plan in $HOME/.cutonce/plans/<slug>.md.

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Leave plan mode without a plan → default
  2 Keep planning → plan
answer (a number, optionally with text): Will exit plan mode without a plan; the mode becomes default; 1 comment.
Press Enter to confirm, or enter another choice.
answer: 
? Exit plan mode?
  plan rev 3 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Third

  changed since it was shown:
  | @@ -1,3 +1,3 @@
  |  # Plan
  |
  | -1. Delete everything
  | +1. Third

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
answer (a number, optionally with text): Will approve rev 3 (sha c5b7db) and continue in acceptEdits; 1 comment.
Press Enter to confirm, or enter another choice.
answer: implemented

>

--- stderr
● Write $HOME/.cutonce/plans/<slug>.md
warning: Not approved: the plan file changed while the plan was shown. The plan is shown again.
warning: Not approved: the plan file changed while the plan was shown. The plan is shown again.
warning: Not approved: the plan file changed while the plan was shown. The plan is shown again.
mode: acceptEdits

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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Harmless\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        Comments from the user on lines of the plan:
        - line 3: `1. Third`
          a comment that must not be lost
        
        ## Approved Plan:
        # Plan
        
        1. Third
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Harmless\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Harmless\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"3cb25bc6889a367805df1d5e427a11f0eee32d1ce3c12fd14315d9c9a6d37f22","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Harmless\n","sha256":"3cb25bc6889a367805df1d5e427a11f0eee32d1ce3c12fd14315d9c9a6d37f22"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits","comments":[{"line":3,"text":"a comment that must not be lost"}]}}
plan {"slug":"<slug>","revision":2,"sha256":"03db39b09a7d2f26d4b61c422eb82fc172c3df3db8637fc034375e629949369f","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Delete everything\n","sha256":"03db39b09a7d2f26d4b61c422eb82fc172c3df3db8637fc034375e629949369f"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits","comments":[{"line":3,"text":"a comment that must not be lost"}]}}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"restore","comments":[{"line":3,"text":"a comment that must not be lost"}]}}
plan {"slug":"<slug>","revision":3,"sha256":"c5b7db3b02061e56313d674101be76901e197faef81f40e5f42a65d235b180e4","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Third\n","sha256":"c5b7db3b02061e56313d674101be76901e197faef81f40e5f42a65d235b180e4"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits","comments":[{"line":3,"text":"a comment that must not be lost"}]}}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":3,"sha256":"c5b7db3b02061e56313d674101be76901e197faef81f40e5f42a65d235b180e4","outcome":"approved"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Third\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"c5b7db3b02061e56313d674101be76901e197faef81f40e5f42a65d235b180e4","steps":[{"id":"1","title":"Third","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"implemented"}],"stop":"end_turn"}

