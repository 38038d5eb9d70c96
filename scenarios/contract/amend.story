`/plan amend` changes a plan while it is implemented (PC-40): the evidence of the checked step stays, the new step starts with the approval, and its file is in the scope from then on. A parked or rejected plan can be submitted again without the model (PC-41).

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Write a\n   - files: a.txt (new)\n   - check: `test -f a.txt`\n2. Write b\n   - files: b.txt (new)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "a\n"}},
             {"name": "Bash", "input": {"command": "test -f a.txt"}}]},
  {"text": "a is done."},
  {"text": "b must be c."},
  {"text": "Please amend the plan."},
  {"calls": [{"name": "Edit", "input": {"file_path": "{plan}", "old_string": "2. Write b\n   - files: b.txt (new)", "new_string": "2. Write c\n   - files: c.txt (new)"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"text": "The user wants to think."},
  {"calls": [{"name": "Write", "input": {"file_path": "c.txt", "content": "c\n"}}]},
  {"text": "done"}
]}
--- run cutonce --plain --permission-mode plan "write a and b"
--- talk
< answer
> 1
< Press Enter
> y
< Please amend the plan.
< >
> /plan amend
< Enabled plan mode
> write c instead
< answer
> 5 let me think
< Press Enter
> y
< The user wants to think.
< >
> /plan submit
< answer
> 1
< Press Enter
> y
< done
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  ## Steps
    4  
    5  1. Write a
    6     - files: a.txt (new)
    7     - check: `test -f a.txt`
    8  2. Write b
    9     - files: b.txt (new)

  0 files change, 2 created, 0 deleted · 1 check · 2 steps approved

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  scope: commands can't change files outside the plan: they run on a layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will approve rev 1 (sha 362689) and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: a is done.
b must be c.
Please amend the plan.

> 
> 
? Exit plan mode?
  plan rev 2 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  ## Steps
    4  
    5  1. Write a
    6     - files: a.txt (new)
    7     - check: `test -f a.txt`
    8  2. Write c
    9     - files: c.txt (new)

  changes to the approved revision 1:
  | @@ -6,4 +6,4 @@
  |     - files: a.txt (new)
  |     - check: `test -f a.txt`
  | -2. Write b
  | -   - files: b.txt (new)
  | +2. Write c
  | +   - files: c.txt (new)

  0 files change, 2 created, 0 deleted · 1 check · 2 steps approved, 1 changed or new

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  scope: commands can't change files outside the plan: they run on a layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → acceptEdits
  c LINE TEXT comment, n TEXT note, e edit, d diff to the approved revision, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will approve nothing and keep planning; your text: let me think.
Press Enter to confirm, or enter another choice.
answer: The user wants to think.

> 
? Exit plan mode?
  plan rev 2 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  ## Steps
    4  
    5  1. Write a
    6     - files: a.txt (new)
    7     - check: `test -f a.txt`
    8  2. Write c
    9     - files: c.txt (new)

  changes to the approved revision 1:
  | @@ -6,4 +6,4 @@
  |     - files: a.txt (new)
  |     - check: `test -f a.txt`
  | -2. Write b
  | -   - files: b.txt (new)
  | +2. Write c
  | +   - files: c.txt (new)

  0 files change, 2 created, 0 deleted · 1 check · 2 steps approved, 1 changed or new

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  scope: commands can't change files outside the plan: they run on a layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → acceptEdits
  c LINE TEXT comment, n TEXT note, e edit, d diff to the approved revision, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will approve rev 2 (sha beddef) and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: done

>

--- stderr
● Write $HOME/.cutonce/plans/<slug>.md
mode: acceptEdits
● Write a.txt
step 1: changed
● Bash test -f a.txt
step 1: checked
Plan <slug> (revision 1)

checked  1. Write a
         files: 1 planned, changed a.txt
         check: test -f a.txt (exit 0, <time>)
open     2. Write b
         files: 1 planned, none changed

Planned but not changed:
  b.txt
Open steps:
  2. Write b
mode: plan
Enabled plan mode
● Edit $HOME/.cutonce/plans/<slug>.md
mode: acceptEdits
● Write c.txt
step 2: changed
Plan <slug> (revision 2)

checked  1. Write a
         files: 1 planned, changed a.txt
         check: test -f a.txt (exit 0, <time>)
changed  2. Write c
         files: 1 planned, changed c.txt

No drift: the implementation follows the plan.

--- disk
created a.txt
  a
created c.txt
  c

--- seen
request 1
  user: write a and b
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Write a\n   - files: a.txt (new)\n   - check: `test -f a.txt`\n2. Write b\n   - files: b.txt (new)\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (9 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan:
        # Plan
        
        ## Steps
        
        1. Write a
           - files: a.txt (new)
           - check: `test -f a.txt`
        2. Write b
           - files: b.txt (new)
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 3
  assistant: call Write {"file_path":"a.txt","content":"a\n"}
  assistant: call Bash {"command":"test -f a.txt"}
  user: result: Created a.txt (1 line).
  user: result: (no output)
request 4
  assistant: a is done.
  user: The turn is about to end, but steps of the approved plan are not done:
        2. Write b
        Finish them and run their checks, or say which step can't be done and why.
request 5
  assistant: b must be c.
  user: The turn is about to end, but steps of the approved plan are not done:
        2. Write b
        Finish them and run their checks, or say which step can't be done and why.
request 6
  assistant: Please amend the plan.
  user: <system-reminder>
        This amends the plan that is being implemented. Edit the plan file instead of starting over. Keep the titles of steps that are done: they stay done. Then call ExitPlanMode. Steps that are done: 1.
        </system-reminder>
  user: write c instead
  user: <system-reminder>
        You are back in plan mode, and there is a plan from before at $HOME/.cutonce/plans/<slug>.md. First read it and compare it with what the user asks for now. Another task: start over and replace it. The same task, or a continuation: revise it and remove what no longer applies. In any case edit the plan file before you call ExitPlanMode; the old plan alone is not an answer to the new request.
        </system-reminder>
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        A plan exists at $HOME/.cutonce/plans/<slug>.md. Read it and change it with the Edit tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 7
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"2. Write b\n   - files: b.txt (new)","new_string":"2. Write c\n   - files: c.txt (new)"}
  assistant: call ExitPlanMode {}
  user: result: Edited $HOME/.cutonce/plans/<slug>.md:
        6	   - files: a.txt (new)
        7	   - check: `test -f a.txt`
        8	2. Write c
        9	   - files: c.txt (new)
  user: error: The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.
        
        Feedback from the user:
        let me think
        
        Revise the plan at $HOME/.cutonce/plans/<slug>.md accordingly, then submit it again with ExitPlanMode.
request 8
  assistant: The user wants to think.
  user: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan:
        # Plan
        
        ## Steps
        
        1. Write a
           - files: a.txt (new)
           - check: `test -f a.txt`
        2. Write c
           - files: c.txt (new)
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 9
  assistant: call Write {"file_path":"c.txt","content":"c\n"}
  user: result: Created c.txt (1 line).

