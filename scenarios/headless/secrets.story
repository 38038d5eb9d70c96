Secrets of the environment reach neither tool processes nor the transcript (MO-4, TL-8): scrubbed for the shell, redacted in what is written.

--- env DEPLOY_TOKEN=tok-9f8e7d6c5b4a
--- file leak.txt
the token is tok-9f8e7d6c5b4a
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "env | grep -c TOKEN; env | grep -c API_KEY", "description": "look for secrets"}},
             {"name": "Read", "input": {"file_path": "leak.txt"}}]},
  {"text": "nothing there"}
]}
--- run cutonce -p "go" --allowedTools Bash
--- exit 0
--- transcript
session {}
user {"text":"go"}
assistant {"stop":"tool_use","blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"env | grep -c TOKEN; env | grep -c API_KEY","description":"look for secrets"}},{"type":"tool_use","id":"toolu_0001_01","name":"Read","input":{"file_path":"leak.txt"}}]}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"command":"env | grep -c TOKEN; env | grep -c API_KEY","description":"look for secrets"},"callId":"toolu_0001_00","name":"Bash"}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":"leak.txt"},"callId":"toolu_0001_01","name":"Read"}
assistant {"stop":"end_turn","blocks":[{"type":"text","text":"nothing there"}]}

