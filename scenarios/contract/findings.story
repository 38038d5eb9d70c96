The findings of the lint go back to the model once (PC-6). The second submission goes to the user, with what remains marked. A check that destroys files and a path outside the workspace are findings, and no part of the scope.

--- file src/a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Change a\n   - files: src/gone.txt (change), ../../etc/passwd\n   - check: rm -rf .\n2. More, TBD\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "{plan}", "old_string": "src/gone.txt", "new_string": "src/a.txt"}},
             {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce plan "change a" --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"# Plan\n\n## Steps\n\n1. Change a\n   - files: src/a.txt (change), ../../etc/passwd\n   - check: rm -rf .\n2. More, TBD\n","num_turns":5,"stop_reason":"tool_use","permission_denials":[],"terminal_reason":"completed","plan":"# Plan\n\n## Steps\n\n1. Change a\n   - files: src/a.txt (change), ../../etc/passwd\n   - check: rm -rf .\n2. More, TBD\n","path":"$HOME/.cutonce/plans/<slug>.md","slug":"<slug>","sha256":"83d3b1cd573054526ba6cb91e0089fee8757d199ee95889dee4cf027c753525a","contract":{"sha256":"83d3b1cd573054526ba6cb91e0089fee8757d199ee95889dee4cf027c753525a","steps":[{"id":"1","title":"Change a","lines":[5,7],"files":[{"path":"src/a.txt","kind":"change"}],"checks":["rm -rf ."],"after":[]},{"id":"2","title":"More, TBD","lines":[8,8],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[{"kind":"bad-reference","step":"1","line":6,"text":"`../../etc/passwd` can't be part of the plan: the path is outside the workspace. Name a file of the workspace."},{"kind":"bad-check","step":"1","line":7,"text":"The check `rm -rf .` destroys files (`rm -rf .`). A check must only look."},{"kind":"placeholder","step":"2","line":8,"text":"`TBD` is a placeholder. Say what the plan leaves open, or remove it."}]},"message":null,"event":{"message":null}}

--- seen
request 1
  user: change a
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Change a\n   - files: src/gone.txt (change), ../../etc/passwd\n   - check: rm -rf .\n2. More, TBD\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (8 lines).
  user: error: Not submitted yet: the program found this in the plan.
        - line 6: `../../etc/passwd` can't be part of the plan: the path is outside the workspace. Name a file of the workspace.
        - line 6: `src/gone.txt` does not exist, so the step can't change it. Correct the path, or mark it (new).
        - line 7: The check `rm -rf .` destroys files (`rm -rf .`). A check must only look.
        - line 8: `TBD` is a placeholder. Say what the plan leaves open, or remove it.
        
        Correct it in $HOME/.cutonce/plans/<slug>.md, then call ExitPlanMode again. If something is meant as it is, leave it: the next submission goes to the user.

