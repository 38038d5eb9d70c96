A plan that a hook rejects, or that no one can approve, is not submitted endlessly: the same plan a second time ends the turn with a notice, as after
a rejection (PM-86, HO-7, PM-76). The user is not asked, and plan mode stays on.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"},
 "hooks": {"PlanSubmitted": [{"hooks": [{"type": "command", "command": "echo x >> ~/submitted; echo 'never good enough' >&2; exit 2"}]}]}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"about": "never asked for", "calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "never said"}
]}
--- run cutonce -p --permission-mode plan "task"
--- exit 0
--- stderr
cutonce: The model submitted the plan again without changing it after it was sent back. Tell it what to change.

--- sh
test "$(wc -l < ~/submitted)" = 1
--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- stdin
{"type":"user","message":{"role":"user","content":"task"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"about": "never asked for", "calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "never said"}
]}
--- run cutonce -p --permission-mode plan --input-format stream-json --output-format stream-json --verbose
--- exit 0
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
        3. Review. Read the key files yourself. Check the design against the request. Decide what is still open yourself, and name it in the plan as an assumption.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# Plan\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug 2>.md (1 line).
  user: error: No user can approve a plan here, so plan mode stays on. The plan is saved at $HOME/.cutonce/plans/<slug 2>.md. Finish your answer without changing anything; the user can approve later.

