A team without a usable mailbox leaves nothing behind (TM-1): the error says why, and a second attempt gives the same error, not that the team exists.

--- file ~/.cutonce/settings.json
{"team": {"mailbox": "nats://127.0.0.1:1"}}
--- model
{"turns": [
  {"calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "bob", "task": "Work."}]}}], "repeat": 2},
  {"text": "No team."}
]}
--- run cutonce -p "Lead this." --permission-mode acceptEdits
--- exit 0
--- stdout
No team.
--- sh
test ! -e ~/.cutonce/teams/red
--- transcript
session {}
mode {"from":"default","to":"acceptEdits","by":"start"}
user {"text":"Lead this."}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"TeamCreate","input":{"teamName":"red","members":[{"name":"bob","task":"Work."}]}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"TeamCreate","input":{"teamName":"red","members":[{"name":"bob","task":"Work."}]},"output":[{"type":"text","text":"The team was not created completely: the mailbox server nats://127.0.0.1:1 does not answer: IO error: Connection refused (os error 111)."}],"isError":true,"decision":{"behavior":"allow","reason":"Session tools are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"TeamCreate","input":{"teamName":"red","members":[{"name":"bob","task":"Work."}]}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"TeamCreate","input":{"teamName":"red","members":[{"name":"bob","task":"Work."}]},"output":[{"type":"text","text":"The team was not created completely: the mailbox server nats://127.0.0.1:1 does not answer: IO error: Connection refused (os error 111)."}],"isError":true,"decision":{"behavior":"allow","reason":"Session tools are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"No team."}],"stop":"end_turn"}

