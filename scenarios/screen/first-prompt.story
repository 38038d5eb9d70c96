A prompt on the command line is read like a typed line: `/plan TASK` enters plan mode, in the terminal and in plain lines. Images that the task names
go along (UI-9, UI-3, PM-21).

--- sh
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\001\0\0\0\001written' > c.png
--- model
{"turns": [{"text": "One picture."}, {"text": "One more."}]}
--- pty 80x24 cutonce "/plan look at c.png"
--- keys
< One picture.
--- shows
  Enabled plan mode

> look at c.png

● One picture.

›

⏸ plan mode on (shift+tab to cycle) · understand  claude-sonnet-5-5 · <n>%

--- keys
press ctrl+d
--- exit 0
--- seen
request 1
  user: look at c.png
  user: {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABd3JpdHRlbg=="}}
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

--- run cutonce --plain "/plan look at c.png again"
--- exit 0
--- stdout
One more.

--- transcript
session {}
session {"slug":"<slug 2>"}
mode {"from":"default","to":"plan","by":"user"}
user {"text":"look at c.png again","images":[{"media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABd3JpdHRlbg=="}]}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 2>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"text","text":"One more."}],"stop":"end_turn"}

