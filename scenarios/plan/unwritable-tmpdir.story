A session is resumed with an unwritable TMPDIR. Plan mode's sandbox uses another folder for temporary files and confines commands as before; it does
not fall back to the parser (PM-62, SB-3).

--- sh
echo hello > a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "python3 -c 'open(\"made\", \"w\")' 2>&1 | tail -n 1; cat a.txt; ls", "description": "tries a write"}}]},
  {"text": "Planned."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- env TMPDIR=/proc/self/no-such-folder
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "python3 -c 'open(\"made\", \"w\")' 2>&1 | tail -n 1; cat a.txt; touch \"$TMPDIR/own\" && ls \"$TMPDIR/own\" | wc -l", "description": "tries a write"}}]},
  {"text": "Planned."}
]}
--- run cutonce -p --continue "look again"
--- exit 0
--- stderr
--- disk
nothing changed

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"python3 -c 'open(\"made\", \"w\")' 2>&1 | tail -n 1; cat a.txt; ls","description":"tries a write"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"python3 -c 'open(\"made\", \"w\")' 2>&1 | tail -n 1; cat a.txt; ls","description":"tries a write"},"output":[{"type":"text","text":"hello\na.txt\nmade\n\n(Plan mode: ran on a scratch copy of the project; what it changed there is gone.)"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Planned."}],"stop":"end_turn"}
session {"slug":"<slug>"}
user {"text":"look again"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"python3 -c 'open(\"made\", \"w\")' 2>&1 | tail -n 1; cat a.txt; touch \"$TMPDIR/own\" && ls \"$TMPDIR/own\" | wc -l","description":"tries a write"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"python3 -c 'open(\"made\", \"w\")' 2>&1 | tail -n 1; cat a.txt; touch \"$TMPDIR/own\" && ls \"$TMPDIR/own\" | wc -l","description":"tries a write"},"output":[{"type":"text","text":"hello\n1\n\n(Plan mode: ran on a scratch copy of the project; what it changed there is gone.)"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Planned."}],"stop":"end_turn"}

