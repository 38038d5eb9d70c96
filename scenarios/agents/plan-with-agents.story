Planning with agents (PM-96, PM-140): the phase is design at the first Plan agent and review after the last one. The Plan agent sees the conversation
so far (SA-2), uses the plan model, has no shell and no tool that writes, and is in plan mode with its own short reminder (PM-64, PM-90). The
conversation it saw is not stored twice. ExitPlanMode of an agent asks no user, and EnterPlanMode is an error (PM-82, PM-31).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "model": {"plan": "claude-opus-4-1", "small": "claude-haiku-4-5"}}
--- file a.txt
alpha
--- model
{"turns": [
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "look", "prompt": "Look at a.txt.", "subagent_type": "Explore"}}]},
  {"when": "You search code", "calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "no"}}, {"name": "Bash", "input": {"command": "echo no > a.txt", "description": "x"}}, {"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"when": "You search code", "text": "It says alpha: FINDING."},
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "design", "prompt": "Design it.", "subagent_type": "Plan"}}]},
  {"when": "It says alpha: FINDING.", "calls": [{"name": "ExitPlanMode", "input": {}}, {"name": "EnterPlanMode", "input": {}}]},
  {"when": "cannot be used in agent contexts", "text": "1. Do it.\n\n### Critical Files for Implementation\na.txt"},
  {"when": "You are cutonce", "calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}, {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce -p "Change a.txt." --permission-mode plan --model claude-sonnet-4-5 --output-format stream-json --verbose
--- exit 0
--- frames
{"type":"system","subtype":"plan.enter","planFilePath":"$HOME/.cutonce/plans/<slug>.md","planExists":false,"time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"understand","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-4-5","permissionMode":"plan","slash_commands":[],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"tool_use","id":"toolu_0001_00","name":"Agent","input":{"description":"look","prompt":"Look at a.txt.","subagent_type":"Explore"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"task_started","description":"look","task_type":"local_agent","agent_type":"Explore","model":"claude-haiku-4-5","background":false,"resumed":false,"task_id":"<id>","tool_use_id":"toolu_0001_00","message":null,"event":{"message":null}}
{"type":"system","subtype":"mode.changed","from":"default","to":"plan","by":"start","time":"<time>","parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.enter","planFilePath":"$HOME/.cutonce/plans/<slug>-agent-<id>.md","planExists":false,"time":"<time>","parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Look at a.txt."}]},"parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"task_progress","description":"","task_id":"<id>","tool_use_id":"toolu_0001_00","message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"toolu_0002_00","name":"Write","input":{"file_path":"a.txt","content":"no"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"toolu_0002_01","name":"Bash","input":{"command":"echo no > a.txt","description":"x"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"toolu_0002_02","name":"Read","input":{"file_path":"a.txt"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0002_00","content":"There is no tool `Write`. Tools: Bash, BashOutput, Glob, Grep, KillShell, LS, Read, WebFetch.","is_error":true}]},"parent_tool_use_id":"toolu_0001_00","tool_use_result":{},"agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"toolu_0002_01","message":"plan mode is read-only","parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0002_01","content":"Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.","is_error":true}]},"parent_tool_use_id":"toolu_0001_00","tool_use_result":{},"agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"task_progress","description":"Read a.txt","task_id":"<id>","tool_use_id":"toolu_0001_00","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0002_02","content":"1\talpha","is_error":false}]},"parent_tool_use_id":"toolu_0001_00","tool_use_result":{},"agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"task_progress","description":"","task_id":"<id>","tool_use_id":"toolu_0001_00","message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"text","text":"It says alpha: FINDING."}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":"toolu_0001_00","agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"task_notification","status":"completed","summary":"It says alpha: FINDING.","output_file":"$HOME/.cutonce/projects/<project>/<id>/agents/<id>.jsonl","task_id":"<id>","tool_use_id":"toolu_0001_00","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_00","content":"It says alpha: FINDING.\n\nagentId: <id> (resume it with this id if there is more to do)","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"status":"completed","agentId":"<id>","agentType":"Explore","content":[{"type":"text","text":"It says alpha: FINDING."}],"totalToolUseCount":3},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"tool_use","id":"toolu_0004_00","name":"Agent","input":{"description":"design","prompt":"Design it.","subagent_type":"Plan"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"task_started","description":"design","task_type":"local_agent","agent_type":"Plan","model":"claude-opus-4-1","background":false,"resumed":false,"task_id":"<id>","tool_use_id":"toolu_0004_00","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"design","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"mode.changed","from":"default","to":"plan","by":"start","time":"<time>","parent_tool_use_id":"toolu_0004_00","agent_id":"<id>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.enter","planFilePath":"$HOME/.cutonce/plans/<slug>-agent-<id>.md","planExists":false,"time":"<time>","parent_tool_use_id":"toolu_0004_00","agent_id":"<id>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Design it."}]},"parent_tool_use_id":"toolu_0004_00","agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"task_progress","description":"","task_id":"<id>","tool_use_id":"toolu_0004_00","message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"tool_use","id":"toolu_0005_00","name":"ExitPlanMode","input":{}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":"toolu_0004_00","agent_id":"<id>","event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"tool_use","id":"toolu_0005_01","name":"EnterPlanMode","input":{}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":"toolu_0004_00","agent_id":"<id>","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0005_00","content":"Only the main session can leave plan mode, so no approval was requested and nothing was approved. There is nothing else to do here: answer \"ok\".","is_error":false}]},"parent_tool_use_id":"toolu_0004_00","tool_use_result":{},"agent_id":"<id>","event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0005_01","content":"EnterPlanMode tool cannot be used in agent contexts","is_error":true}]},"parent_tool_use_id":"toolu_0004_00","tool_use_result":{},"agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"task_progress","description":"","task_id":"<id>","tool_use_id":"toolu_0004_00","message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"text","text":"1. Do it.\n\n### Critical Files for Implementation\na.txt"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":"toolu_0004_00","agent_id":"<id>","event":{"message":null}}
{"type":"system","subtype":"task_notification","status":"completed","summary":"1. Do it.\n\n### Critical Files for Implementation\na.txt","output_file":"$HOME/.cutonce/projects/<project>/<id>/agents/<id>.jsonl","task_id":"<id>","tool_use_id":"toolu_0004_00","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0004_00","content":"1. Do it.\n\n### Critical Files for Implementation\na.txt\n\nagentId: <id> (resume it with this id if there is more to do)","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"status":"completed","agentId":"<id>","agentType":"Plan","content":[{"type":"text","text":"1. Do it.\n\n### Critical Files for Implementation\na.txt"}],"totalToolUseCount":2},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"tool_use","id":"toolu_0007_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"tool_use","id":"toolu_0007_01","name":"ExitPlanMode","input":{"planFilePath":"$HOME/.cutonce/plans/<slug>.md"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"plan.file","sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"write","time":"<time>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0007_00","content":"Created $HOME/.cutonce/plans/<slug>.md (1 line).","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"type":"create","filePath":"$HOME/.cutonce/plans/<slug>.md","diff":"--- /dev/null\n+++ $HOME/.cutonce/plans/<slug>.md\n@@ -0,0 +1 @@\n+# Plan\n","added":1,"removed":0},"event":{"message":null}}
{"type":"system","subtype":"plan.phase","phase":"exit","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.exit_request","askId":"<id>","plan":"# Plan\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","revision":1,"choices":[{"key":"acceptEdits","label":"Approve, accept edits automatically → acceptEdits","mode":"acceptEdits"},{"key":"default","label":"Approve, confirm each edit → default","mode":"default"},{"key":"clear","label":"Approve, clear the context and start → default","mode":"default"},{"key":"keepPlanning","label":"Keep planning, with feedback → plan","mode":"plan"},{"key":"leave","label":"Leave plan mode and keep the plan; nothing runs → default","mode":"default"}],"layer":"readonlySandbox","changedFiles":[],"shells":[],"stay":1,"time":"<time>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0007_01","content":"No user can approve a plan here, so plan mode stays on. The plan is saved at $HOME/.cutonce/plans/<slug>.md. Finish your answer without changing anything; the u…","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{},"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"# Plan\n","num_turns":5,"stop_reason":"tool_use","permission_denials":[{"tool_name":"Bash","tool_use_id":"toolu_0002_01","tool_input":{"command":"echo no > a.txt","description":"x"}}],"terminal_reason":"completed","plan":"# Plan\n","path":"$HOME/.cutonce/plans/<slug>.md","slug":"<slug>","sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","message":null,"event":{"message":null}}

--- disk
nothing changed

--- sh
set -e
cd ~/.cutonce/projects/*/*/agents
test "$(grep -ho '"model":"[^"]*"' *.jsonl | sort -u | tr '\n' ' ')" = '"model":"claude-haiku-4-5" "model":"claude-opus-4-1" '
test "$(grep -l '"kind":"plan_mode","form":"subagent","path":"[^"]*-agent-' *.jsonl | wc -l)" = 2
test "$(grep -l '"saw":' *.jsonl | wc -l)" = 1
! grep -q FINDING $(grep -l '"name":"Plan"' *.jsonl)
