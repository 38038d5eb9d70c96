Two contradicting flags (PM-26): `--permission-mode plan` with `--dangerously-skip-permissions` is plan mode, entered from bypassPermissions. The
stricter flag wins.

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "a\n"}}]},
  {"text": "It was refused."}
]}
--- run cutonce -p "write" --permission-mode plan --dangerously-skip-permissions --output-format stream-json --verbose
--- exit 0
--- transcript
session {"slug":"<slug>"}
mode {"from":"bypassPermissions","to":"plan","by":"start"}
user {"text":"write"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"a.txt","content":"a\n"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"a.txt","content":"a\n"},"output":[{"type":"text","text":"Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
assistant {"blocks":[{"type":"text","text":"It was refused."}],"stop":"end_turn"}

--- disk
nothing changed

