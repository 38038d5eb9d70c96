The model delegates a task to an Explore agent (SA-1, SA-2). The agent has its own conversation and transcript, the small model, no project
instructions and no tool that writes (SA-4). Its last message is the result. Two agents of one message run in parallel.

--- file CLAUDE.md
Say PINEAPPLE.
--- file src/a.txt
alpha is here
--- model
{"turns": [
  {"when": "You are cutonce", "text": "Two agents.", "calls": [
    {"name": "Agent", "input": {"description": "find alpha", "prompt": "Where is alpha?", "subagent_type": "Explore"}},
    {"name": "Agent", "input": {"description": "find beta", "prompt": "Where is beta?", "subagent_type": "Explore"}}]},
  {"when": "You are cutonce", "text": "Alpha is in src/a.txt."},
  {"when": "alpha is here", "text": "In src/a.txt:1."},
  {"when": "Where is beta?", "text": "There is no beta."},
  {"when": "NotebookEdit", "text": "this tool must not be here"},
  {"when": "PINEAPPLE", "text": "these instructions must not be here"},
  {"when": "Where is alpha?", "calls": [{"name": "Grep", "input": {"pattern": "alpha", "output_mode": "content"}}]}
]}
--- run cutonce -p start --model claude-sonnet-4-5
--- exit 0
--- stdout
Alpha is in src/a.txt.

--- transcript
session {}
user {"text":"start"}
assistant {"blocks":[{"type":"text","text":"Two agents."},{"type":"tool_use","id":"toolu_0001_01","name":"Agent","input":{"description":"find alpha","prompt":"Where is alpha?","subagent_type":"Explore"}},{"type":"tool_use","id":"toolu_0001_02","name":"Agent","input":{"description":"find beta","prompt":"Where is beta?","subagent_type":"Explore"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_01","name":"Agent","input":{"description":"find alpha","prompt":"Where is alpha?","subagent_type":"Explore"},"output":[{"type":"text","text":"In src/a.txt:1.\n\nagentId: <id> (resume it with this id if there is more to do)"}],"isError":false,"decision":{"behavior":"allow","reason":"Subagents are allowed in default mode"}}
tool {"callId":"toolu_0001_02","name":"Agent","input":{"description":"find beta","prompt":"Where is beta?","subagent_type":"Explore"},"output":[{"type":"text","text":"There is no beta.\n\nagentId: <id> (resume it with this id if there is more to do)"}],"isError":false,"decision":{"behavior":"allow","reason":"Subagents are allowed in default mode"}}
assistant {"blocks":[{"type":"text","text":"Alpha is in src/a.txt."}],"stop":"end_turn"}

--- sh
set -e
cd ~/.cutonce/projects/*/*/agents
for f in *.jsonl; do test $(stat -c %a $f) = 600; done
test "$(grep -ho '"model":"claude-[a-z]*' *.jsonl | sort | uniq -c | tr -s ' ')" = ' 3 "model":"claude-haiku'
