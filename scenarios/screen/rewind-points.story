/rewind to the approval of a plan (SE-5): it is a named point in the list, with a preview of what each file would become; files only leaves the conversation, conversation only leaves the files, and the model then sees the conversation as it was at that point.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}, {"name": "Write", "input": {"file_path": "{plan}", "content": "# Change it\n\n1. Change it\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}, {"name": "Write", "input": {"file_path": "b.txt", "content": "new\n"}}]},
  {"text": "Changed."},
  {"text": "From the approval on."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> change it
press enter
< approve → accept edits
gone keys choose in a moment
press 1
< enter confirm
press enter
< Changed.
gone interrupt
> /rewind
press enter
< Rewind to
< 2 files would be restored
--- shows
 Rewind to …
› <time>  ⏸ plan approved: <slug> rev 1  2 files
  <time>  change it  3 files

2 files would be restored:
  $WS/a.txt  +1 -1
  1 - two
  1 + one
  $WS/b.txt  is deleted














 ↑↓ · enter choose · esc back

--- keys
press enter
< 3 files only
press 3
< 2 files put back
! test "$(cat a.txt)" = one; test ! -e b.txt
> /rewind
press enter
< Rewind to
--- shows
 Rewind to …
› <time>  ⏸ plan approved: <slug> rev 1  2 files
  <time>  change it  3 files

2 files would be restored:
  $WS/a.txt  +0 -0
  $WS/b.txt  stays deleted
















 ↑↓ · enter choose · esc back

--- keys
press enter
< 1 conversation
press 2
< onversation put back
gone Rewind to
> what now?
press enter
< From the approval on.
gone interrupt
press ctrl+d
--- exit 0
--- disk
nothing changed

--- seen
request 1
  user: change it
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
  assistant: call Read {"file_path":"a.txt"}
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Change it\n\n1. Change it\n"}
  assistant: call ExitPlanMode {}
  user: result: 1	one
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan:
        # Change it
        
        1. Change it
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 3
  assistant: call Edit {"file_path":"a.txt","old_string":"one","new_string":"two"}
  assistant: call Write {"file_path":"b.txt","content":"new\n"}
  user: result: Edited a.txt:
        1	two
  user: result: Created b.txt (1 line).
request 4
  user: change it
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
  assistant: call Read {"file_path":"a.txt"}
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Change it\n\n1. Change it\n"}
  assistant: call ExitPlanMode {}
  user: result: 1	one
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan:
        # Change it
        
        1. Change it
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
  user: what now?

