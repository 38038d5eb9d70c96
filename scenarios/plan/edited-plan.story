The user edits a copy of the plan before approving: the file is rewritten, the model gets the text as edited under its own heading, and may edit the plan at once because it was shown (PM-44, PM-74, PM-77). With «keep planning» and «leave» the edit is saved too. An edit to nothing is no plan: it is asked again.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file editor.sh
#!/bin/sh
sed -i 's/Guess/Measure/' "$1"
--- file emptier.sh
#!/bin/sh
if grep -q "# Plan" "$1"; then : > "$1"; else printf '# Plan\n\n1. Written anew\n' > "$1"; fi
--- sh
chmod +x editor.sh emptier.sh
--- env VISUAL=$WS/editor.sh
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "{plan}", "old_string": "1. Measure", "new_string": "1. Measure twice"}}]},
  {"text": "implemented"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> e
< Measure
< answer
> n keep it short
< answer
> 1
< Press Enter to confirm
< answer:
> y
< implemented
< >
> /plan
< Enabled plan mode
> /plan
< Current Plan
< >
> /plan open
< Opened plan in editor
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Guess

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
answer (a number, optionally with text): 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Measure

  This is the plan as you edited it.

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
answer (a number, optionally with text): The note is sent with your choice.
answer: Will approve the plan as you edited it and continue in acceptEdits; your text: keep it short.
Press Enter to confirm, or enter another choice.
answer: implemented

> 
> Current Plan
$HOME/.cutonce/plans/<slug>.md

# Plan

1. Measure twice


"/plan open" edits this plan in editor.sh

> Opened plan in editor: $HOME/.cutonce/plans/<slug>.md

>

--- stderr
● Write $HOME/.cutonce/plans/<slug>.md
mode: acceptEdits
● Edit $HOME/.cutonce/plans/<slug>.md
mode: plan
Enabled plan mode

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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        Notes from the user:
        keep it short
        
        ## Approved Plan (edited by user):
        # Plan
        
        1. Measure
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 3
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"1. Measure","new_string":"1. Measure twice"}
  user: result: Edited $HOME/.cutonce/plans/<slug>.md:
        1	# Plan
        2	
        3	1. Measure twice

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n","sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits","plan":"# Plan\n\n1. Measure\n","notes":"keep it short"}}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Measure\n","sha256":"dbe4a22be216bfb973510bf0e39ce58b395b91be0255b31e42d84a2dab2ab44d"}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":2,"sha256":"dbe4a22be216bfb973510bf0e39ce58b395b91be0255b31e42d84a2dab2ab44d","outcome":"approved"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Guess\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e","steps":[{"id":"1","title":"Guess","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"1. Measure","new_string":"1. Measure twice"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md","sha256":"dbe4a22be216bfb973510bf0e39ce58b395b91be0255b31e42d84a2dab2ab44d"}
tool {"callId":"toolu_0002_00","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"1. Measure","new_string":"1. Measure twice"},"output":[{"type":"text","text":"Edited $HOME/.cutonce/plans/<slug>.md:\n1\t# Plan\n2\t\n3\t1. Measure twice"}],"isError":false,"decision":{"behavior":"allow","reason":"Edits of the plan file are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"implemented"}],"stop":"end_turn"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Measure twice\n","sha256":"9b098c358a6b2477bcfbf68c2b6080bd4a35910fb53db78387e61efb44fb14e5"}
mode {"from":"acceptEdits","to":"plan","by":"user"}

--- run cutonce plans list --json
--- stdout
{"slug":"<slug>","title":"Plan","status":"draft","revision":2,"approved":2,"sha256":"9b098c358a6b2477bcfbf68c2b6080bd4a35910fb53db78387e61efb44fb14e5","time":"<time>","project":"$WS","session":"<id>","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"unreadable":null}

--- run cutonce plans show $SLUG
--- stdout
# Plan

1. Measure twice

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "revised"}
]}
--- env VISUAL=$WS/editor.sh
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> e
< Measure
< answer
> 5 my edit is in
< Press Enter to confirm
< answer:
> y
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug 2>.md

    1  # Plan
    2  
    3  1. Guess

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
answer (a number, optionally with text): 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug 2>.md

    1  # Plan
    2  
    3  1. Measure

  This is the plan as you edited it.

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
answer (a number, optionally with text): Will approve nothing and keep planning; your text: my edit is in; with your edit.
Press Enter to confirm, or enter another choice.
answer: 
>

--- stderr
● Write $HOME/.cutonce/plans/<slug 2>.md
✗ Submit the plan: Exactly this plan was just rejected, so no approval was requested and the turn ends. Plan mode is still on. Revise the plan before you submit it again.
warning: The model submitted the plan again without changing it after it was sent back. Tell it what to change.

--- seen
request 1
  user: task
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug 2>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# Plan\n\n1. Guess\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug 2>.md (3 lines).
  user: error: The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file. The user edited the plan file; read it again before you change it.
        
        Feedback from the user:
        my edit is in
        
        Revise the plan at $HOME/.cutonce/plans/<slug 2>.md accordingly, then submit it again with ExitPlanMode.

--- run cutonce plans show $SLUG
--- stdout
# Plan

1. Measure

--- env VISUAL=$WS/emptier.sh
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "revised"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> e
< answer
> 1
< Press Enter to confirm
< answer:
> y
< Exit plan mode?
< answer
> 6
< Press Enter to confirm
< answer:
> y
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug 3>.md

    1  # Plan
    2  
    3  1. Guess

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
answer (a number, optionally with text): 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug 3>.md


  This is the plan as you edited it.

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
answer (a number, optionally with text): Will approve the plan as you edited it and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug 3>.md

    1  # Plan
    2  
    3  1. Guess

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
answer (a number, optionally with text): Will exit plan mode and keep the plan; starts nothing; the mode becomes default.
Press Enter to confirm, or enter another choice.
answer: 
>

--- stderr
● Write $HOME/.cutonce/plans/<slug 3>.md
warning: Not approved: the edited plan is empty. The plan is shown again.
mode: default

--- run cutonce plans show $SLUG
--- stdout
# Plan

1. Guess

