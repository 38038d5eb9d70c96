Each choice of PM-74 with the following mode, from three earlier modes. The model gets: approved, the todo list, the plan's path, notes and comments
with their lines, and the plan (PM-77). Then edits run as the new mode says, and the exit reminder comes once (PM-14, PM-94). A batch [Write plan,
ExitPlanMode, Write] keeps its order around the change (PM-18).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan A\n\n1. Do a\n2. Do b\n"}},
             {"name": "ExitPlanMode", "input": {}},
             {"name": "Write", "input": {"file_path": "a.txt", "content": "made after approval\n"}}]},
  {"text": "done A"},
  {"text": "a word later"}
]}
--- run cutonce --plain --permission-mode plan "task A"
--- talk
< answer
> c 3 with care
< 1 comment is sent
< answer:
> c 9 no such line
< There is no line 9
< answer:
> c 4 at the end
< 2 comments
< answer:
> c nonsense
< Usage: c LINE
< answer:
> 17
< Choose one of
< answer:
> yes
< Choose one of
< answer:
> 1 mind the gap
< Press Enter to confirm
< answer:
> y
< done A
< >
> and now
< a word later
< >
> /mode
< The mode is acceptEdits
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan A
    2  
    3  1. Do a
    4  2. Do b

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
answer (a number, optionally with text): 1 comment is sent with your choice.
answer: There is no line 9 (1 to 4).
answer: 2 comments are sent with your choice.
answer: Usage: c LINE TEXT
answer: Choose one of 1, 2, 4, 5, 6.
answer: Choose one of 1, 2, 4, 5, 6.
answer: Will approve rev 1 (sha ba0b63) and continue in acceptEdits; your text: mind the gap; 2 comments.
Press Enter to confirm, or enter another choice.
answer: done A

> a word later

> 
>

--- stderr
● Write $HOME/.cutonce/plans/<slug>.md
mode: acceptEdits
● Write a.txt
The mode is acceptEdits. Others: default, plan.

--- seen
request 1
  user: task A
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan A\n\n1. Do a\n2. Do b\n"}
  assistant: call ExitPlanMode {}
  assistant: call Write {"file_path":"a.txt","content":"made after approval\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (4 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        Notes from the user:
        mind the gap
        
        Comments from the user on lines of the plan:
        - line 3: `1. Do a`
          with care
        - line 4: `2. Do b`
          at the end
        
        ## Approved Plan:
        … 3 more lines
  user: result: Created a.txt (1 line).
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 3
  assistant: done A
  user: and now

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task A"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan A\n\n1. Do a\n2. Do b\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}},{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"a.txt","content":"made after approval\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan A\n\n1. Do a\n2. Do b\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (4 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"ba0b6380b4f420ec768d09205a398f78b3bfdd5c40f3d66ada2698ebfd4a7dbd","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan A\n\n1. Do a\n2. Do b\n","sha256":"ba0b6380b4f420ec768d09205a398f78b3bfdd5c40f3d66ada2698ebfd4a7dbd"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits","comments":[{"line":3,"text":"with care"},{"line":4,"text":"at the end"}],"notes":"mind the gap"}}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":1,"sha256":"ba0b6380b4f420ec768d09205a398f78b3bfdd5c40f3d66ada2698ebfd4a7dbd","outcome":"approved"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan A\n\n1. Do a\n2. Do b\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"ba0b6380b4f420ec768d09205a398f78b3bfdd5c40f3d66ada2698ebfd4a7dbd","steps":[{"id":"1","title":"Do a","lines":[3,3],"files":[],"checks":[],"after":[]},{"id":"2","title":"Do b","lines":[4,4],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
file_snapshot {"key":"before","path":"$WS/a.txt"}
tool {"callId":"toolu_0001_02","name":"Write","input":{"file_path":"a.txt","content":"made after approval\n"},"output":[{"type":"text","text":"Created a.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"done A"}],"stop":"end_turn"}
user {"text":"and now"}
assistant {"blocks":[{"type":"text","text":"a word later"}],"stop":"end_turn"}

--- disk
created a.txt
  made after approval

--- run cutonce plans list --json
--- stdout
{"slug":"<slug>","title":"Plan A","status":"approved","revision":1,"approved":1,"sha256":"ba0b6380b4f420ec768d09205a398f78b3bfdd5c40f3d66ada2698ebfd4a7dbd","time":"<time>","project":"$WS","session":"<id>","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"unreadable":null}

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan B\n"}},
             {"name": "ExitPlanMode", "input": {}},
             {"name": "Write", "input": {"file_path": "b.txt", "content": "asked first\n"}}]},
  {"text": "done B"}
]}
--- run cutonce --plain --permission-mode acceptEdits
--- talk
< >
> /plan task B
< answer
> 2
< Press Enter to confirm
< answer:
> y
< wants to
> 3 not now
< done B
< >
> /mode
< The mode is default
> /exit
--- exit 0
--- stdout

> 
> 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug 2>.md

    1  # Plan B

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → acceptEdits
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
answer (a number, optionally with text): Will approve rev 1 (sha b99fdc) and continue in default.
Press Enter to confirm, or enter another choice.
answer: 
? Write wants to create: Edits need your OK in default mode
  | --- /dev/null
  | +++ b.txt
  | @@ -0,0 +1 @@
  | +asked first
  1 yes
  2 yes, and don't ask again here for Edit(./b.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./b.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: done B

> 
>

--- disk
nothing changed

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan C\n"}},
             {"name": "ExitPlanMode", "input": {}},
             {"name": "Bash", "input": {"command": "touch c.txt", "description": "write"}}]},
  {"text": "done C"}
]}
--- run cutonce --plain --dangerously-skip-permissions
--- talk
< >
> /plan task C
< answer
> 3
< Press Enter to confirm
< answer:
> y
< done C
< >
> /mode
< The mode is bypassPermissions
> /exit
--- exit 0
--- stdout

> 
> 
? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug 3>.md

    1  # Plan C

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  3 Approve, back to the earlier mode → bypassPermissions
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default, 4 bypassPermissions
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → bypassPermissions
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
answer (a number, optionally with text): Will approve rev 1 (sha 328150) and continue in bypassPermissions.
Press Enter to confirm, or enter another choice.
answer: done C

> 
>

--- disk
created c.txt

