A headless turn in plan mode that ends without a submission prints the draft and exits with code 0. Without any plan it says so and exits with code 1.
AskUserQuestion is an error there, because no user can answer (PM-76).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "AskUserQuestion", "input": {"questions": [{"question": "Which?", "header": "Which", "options": [{"label": "a", "description": "a"}, {"label": "b", "description": "b"}], "multiSelect": false}]}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# A draft\n"}}]},
  {"text": "I stop here"}
]}
--- run cutonce plan "task"
--- exit 0
--- stdout
# A draft

--- stderr
plan: <slug>
path: $HOME/.cutonce/plans/<slug>.md
sha256: c3a6b664ddcb79ca5205e9e107e2a4fd721c26f3dfd4b57a520b30d9862275b4
next: cutonce implement <slug>

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
        3. Review. Read the key files yourself. Check the design against the request. Decide what is still open yourself, and name it in the plan as an assumption.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call AskUserQuestion {"questions":[{"question":"Which?","header":"Which","options":[{"label":"a","description":"a"},{"label":"b","description":"b"}],"multiSelect":false}]}
  user: error: This session can't ask the user. Decide yourself and say what you assumed.
request 3
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# A draft\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).

--- model
{"turns": [{"text": "just words"}]}
--- run cutonce plan "task"
--- exit 1
--- stdout
just words

--- stderr
cutonce: No plan was written ($HOME/.cutonce/plans/<slug 2>.md).

--- model
{"turns": [{"text": "just words"}]}
--- run cutonce plan "task" --output-format json
--- exit 1
--- frames
{"type":"result","subtype":"success","is_error":true,"result":"just words","num_turns":1,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","plan":null,"path":"$HOME/.cutonce/plans/<slug 3>.md","slug":"<slug 3>","sha256":null,"errors":["No plan was written ($HOME/.cutonce/plans/<slug 3>.md)."],"message":null,"event":{"message":null}}

--- model
{"turns": [{"calls": [{"name": "ExitPlanMode", "input": {}}]}, {"text": "just words"}]}
--- run cutonce plan "submit nothing"
--- exit 1
--- stdout


--- stderr
cutonce: No plan was written ($HOME/.cutonce/plans/<slug 4>.md).

