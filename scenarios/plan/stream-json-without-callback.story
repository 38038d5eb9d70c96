With `--input-format stream-json` and no approver, ExitPlanMode is refused and reported as a denial, and the turn continues (PM-76). The host's
set_permission_mode enters and leaves through the same machine (PM-26), and the events of a plan are frames (PM-143).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- stdin
{"type":"control_request","request_id":"1","request":{"subtype":"set_permission_mode","mode":"plan"}}
{"type":"user","message":{"role":"user","content":"task"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}, {"name": "ExitPlanMode", "input": {}},
             {"name": "Write", "input": {"file_path": "never.txt", "content": "still planning\n"}}]},
  {"text": "the plan is saved"}
]}
--- run cutonce -p --input-format stream-json --output-format stream-json --verbose
--- exit 0
--- frames
{"type":"control_response","response":{"subtype":"success","request_id":"1","response":{"mode":"plan"}},"message":null,"event":{"message":null}}
{"type":"system","subtype":"status","status":null,"permissionMode":"plan","message":null,"event":{"message":null}}
{"type":"system","subtype":"mode.changed","from":"default","to":"plan","by":"host","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.enter","planFilePath":"$HOME/.cutonce/plans/<slug>.md","planExists":false,"time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"understand","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"plan","slash_commands":["plan","clear","compact","usage"],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{"planFilePath":"$HOME/.cutonce/plans/<slug>.md"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"never.txt","content":"still planning\n"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"plan.file","sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"write","time":"<time>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_00","content":"Created $HOME/.cutonce/plans/<slug>.md (1 line).","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"type":"create","filePath":"$HOME/.cutonce/plans/<slug>.md","diff":"--- /dev/null\n+++ $HOME/.cutonce/plans/<slug>.md\n@@ -0,0 +1 @@\n+# Plan\n","added":1,"removed":0},"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"exit","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.exit_request","askId":"<id>","plan":"# Plan\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","revision":1,"choices":[{"key":"acceptEdits","label":"Approve, accept edits automatically → acceptEdits","mode":"acceptEdits"},{"key":"default","label":"Approve, confirm each edit → default","mode":"default"},{"key":"clear","label":"Approve, clear the context and start → default","mode":"default"},{"key":"keepPlanning","label":"Keep planning, with feedback → plan","mode":"plan"},{"key":"leave","label":"Leave plan mode and keep the plan; nothing runs → default","mode":"default"}],"layer":"readonlySandbox","changedFiles":[],"shells":[],"stay":1,"time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"permission_denied","tool_name":"ExitPlanMode","tool_use_id":"toolu_0001_01","message":"this session has no approver","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_01","content":"No user can approve a plan here, so plan mode stays on. The plan is saved at $HOME/.cutonce/plans/<slug>.md. Finish your answer without changing anything; the u…","is_error":true}]},"parent_tool_use_id":null,"tool_use_result":{},"event":{"message":null}}
{"type":"system","subtype":"permission_denied","tool_name":"Write","tool_use_id":"toolu_0001_02","message":"plan mode is read-only","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_02","content":"Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.","is_error":true}]},"parent_tool_use_id":null,"tool_use_result":{},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"the plan is saved"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"the plan is saved","num_turns":4,"stop_reason":"end_turn","permission_denials":[{"tool_name":"ExitPlanMode","tool_use_id":"toolu_0001_01","tool_input":{"plan":"# Plan\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md"}},{"tool_name":"Write","tool_use_id":"toolu_0001_02","tool_input":{"file_path":"never.txt","content":"still planning\n"}}],"terminal_reason":"completed","plan":"# Plan\n","path":"$HOME/.cutonce/plans/<slug>.md","slug":"<slug>","sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","message":null,"event":{"message":null}}

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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}
  assistant: call ExitPlanMode {}
  assistant: call Write {"file_path":"never.txt","content":"still planning\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
  user: error: No user can approve a plan here, so plan mode stays on. The plan is saved at $HOME/.cutonce/plans/<slug>.md. Finish your answer without changing anything; the user can approve later.
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.

--- disk
nothing changed

