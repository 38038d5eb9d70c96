Secrets of the environment reach neither tool processes nor the transcript (MO-4, TL-8): scrubbed for the shell, redacted in what is written.
What is too long for a result goes to a file of the session without them, too (SE-1), in front and in the background.

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
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"env | grep -c TOKEN; env | grep -c API_KEY","description":"look for secrets"}},{"type":"tool_use","id":"toolu_0001_01","name":"Read","input":{"file_path":"leak.txt"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"env | grep -c TOKEN; env | grep -c API_KEY","description":"look for secrets"},"output":[{"type":"text","text":"0\n0\n\nExit code 1"}],"isError":true,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash` from the command line","rule":"Bash","source":"commandLine"}}
tool {"callId":"toolu_0001_01","name":"Read","input":{"file_path":"leak.txt"},"output":[{"type":"text","text":"1\tthe token is [redacted:DEPLOY_TOKEN]"}],"isError":false,"decision":{"behavior":"allow","reason":"Reads are allowed in default mode"}}
assistant {"blocks":[{"type":"text","text":"nothing there"}],"stop":"end_turn"}

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "yes \"$(cat leak.txt)\" | head -6000", "description": "print a lot"}},
             {"name": "Bash", "input": {"command": "cat leak.txt", "description": "print", "run_in_background": true}}]},
  {"text": "printed"}
]}
--- run cutonce -p "go" --allowedTools Bash
--- exit 0
--- sh
cd ~/.cutonce/projects
ls ./*/*/bash-output-1.txt ./*/*/bash_1.txt > /dev/null
test $(grep -c 'redacted:DEPLOY_TOKEN' ./*/*/bash-output-1.txt) = 6000
! grep -r tok-9f8e7d6c5b4a .
