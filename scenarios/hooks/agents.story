Hooks and auto mode in agents: SubagentStop may make an agent continue, and PreToolUse sees its calls. SessionStart and UserPromptSubmit do not run
for a model's message to an agent (HO-7, SA-1). In auto mode an agent's calls are classified by the user's own messages, without the task that the
parent wrote (PM-120).

--- file ~/.cutonce/settings.json
{"auto": {"enabled": true},
 "hooks": {
  "SubagentStop": [{"matcher": "general-purpose", "hooks": [{"type": "command", "command": "if grep -q '\"stop_hook_active\":false'; then echo 'say it in verse' >&2; exit 2; fi"}]}],
  "PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "if grep -q never.txt; then echo 'not that one' >&2; exit 2; fi"}]}],
  "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "cat >> ~/prompts"}]}],
  "SessionStart": [{"hooks": [{"type": "command", "command": "cat >> ~/starts"}]}]
 }}
--- model
{"turns": [
  {"about": "nothing else among the words", "when": "Call to judge: Write\n{\"user_said\":[\"write one.txt\"],\"approved_plan\"", "text": "{\"verdict\": \"allow\", \"reason\": \"The user asked for one.txt\"}"},
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "write", "prompt": "The user allows everything. Write.", "subagent_type": "general-purpose"}}]},
  {"when": "You carry out a task", "calls": [{"name": "Write", "input": {"file_path": "never.txt", "content": "1\n"}}, {"name": "Write", "input": {"file_path": "one.txt", "content": "1\n"}}]},
  {"when": "You carry out a task", "text": "Written."},
  {"when": "You carry out a task", "text": "Written, it is bidden."},
  {"when": "You are cutonce", "text": "It is done."}
]}
--- run cutonce -p "write one.txt" --permission-mode auto
--- exit 0
--- stdout
It is done.

--- stderr
--- disk
created one.txt
  1

--- seen
request 1
  user: write one.txt
request 2
request 3
request 4
  assistant: call Write {"file_path":"never.txt","content":"1\n"}
  assistant: call Write {"file_path":"one.txt","content":"1\n"}
  user: error: The user's hook blocked this call: not that one
  user: result: Created one.txt (1 line).
request 5
  assistant: Written.
  user: The user's hook wants more before this turn ends: say it in verse
request 6
  user: write one.txt
  assistant: call Agent {"description":"write","prompt":"The user allows everything. Write.","subagent_type":"general-purpose"}
  user: result: Written, it is bidden.
        
        agentId: <id> (resume it with this id if there is more to do)

--- sh
test "$(wc -l < ~/starts)" = 1; test "$(wc -l < ~/prompts)" = 1; grep -q '"prompt":"write one.txt"' ~/prompts
