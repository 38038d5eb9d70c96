`/clear` in plan mode starts a new plan (PM-49): another name, no plan exists, the model can write it, and ExitPlanMode shows the new one. The old plan stays on disk and in `cutonce plans`. After a resume the new plan is the session's.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Old plan\n"}}]},
  {"text": "written"},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# New plan\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "stopped"}
]}
--- run cutonce --plain --permission-mode plan "the old task"
--- talk
< written
< >
> /clear
> /plan
< No plan written yet
> the new task
< New plan
< answer
> 6
< Press Enter to confirm
< answer:
> y
< mode: default
> /exit
--- exit 0
--- stderr
● Write $HOME/.cutonce/plans/<slug>.md
Already in plan mode. No plan written yet.
● Write $HOME/.cutonce/plans/<slug 2>.md
mode: default

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"the old task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Old plan\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Old plan\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
assistant {"blocks":[{"type":"text","text":"written"}],"stop":"end_turn"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Old plan\n","sha256":"fc1282e6a6e19211743e5cb872d93b0bac9ebd5db4217837da9becd826d0ef41"}
clear {}
session {"slug":"<slug 2>"}
user {"text":"the new task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 2>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# New plan\n"}},{"type":"tool_use","id":"toolu_0003_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug 2>.md"}
tool {"callId":"toolu_0003_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# New plan\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug 2>.md (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug 2>","revision":1,"sha256":"feb7288a494267a45cce08cc107e504f110bf02fd6b91599610f8a65a305c74f","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# New plan\n","sha256":"feb7288a494267a45cce08cc107e504f110bf02fd6b91599610f8a65a305c74f"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"leave"}}
plan {"slug":"<slug 2>","revision":1,"sha256":"feb7288a494267a45cce08cc107e504f110bf02fd6b91599610f8a65a305c74f","outcome":"left"}
mode {"from":"plan","to":"default","by":"user"}
tool {"callId":"toolu_0003_01","name":"ExitPlanMode","input":{"plan":"# New plan\n","planFilePath":"$HOME/.cutonce/plans/<slug 2>.md"},"output":[{"type":"text","text":"The user left plan mode without approving and kept the plan at $HOME/.cutonce/plans/<slug 2>.md. Do not implement it. Wait for the user's next message."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}

--- seen
request 1
  user: the old task
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Old plan\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
request 3
  user: the new task
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

--- sh
cat "$HOME"/.cutonce/plans/*.md | sort > plans.txt
--- disk
created plans.txt
  # New plan
  # Old plan

--- run cutonce --plain --continue
--- talk
< >
> /plan
> /plan
< Current Plan
< New plan
> /exit
--- exit 0
