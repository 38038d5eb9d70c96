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
