A tracked `.env` is closed in plan mode, and git still works: it names the file, says that it differs and how large it is, and shows nothing of its
content, whether the file differs from the last commit, from an earlier one, or both (PM-62, SB-2).

--- sh
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
git init -q -b main . && git config user.name a && git config user.email a@b
printf 'TOKEN=TOPSECRET1\n' > .env && echo one > a.txt && git add -A -f && git commit -qm one
printf 'TOKEN=TOPSECRET2\nB=2\n' > .env && echo two >> a.txt && git commit -qam two
touch -d '2 hours ago' .env a.txt && git update-index --refresh
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "git status --short && git diff --name-only && git diff HEAD~1 --stat && git log --stat --oneline && git diff HEAD~1", "description": "unchanged since the commit"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat .env", "description": "the content"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- transcript
session {"branch":"main","slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"git status --short && git diff --name-only && git diff HEAD~1 --stat && git log --stat --oneline && git diff HEAD~1","description":"unchanged since the commit"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"git status --short && git diff --name-only && git diff HEAD~1 --stat && git log --stat --oneline && git diff HEAD~1","description":"unchanged since the commit"},"output":[{"type":"text","text":" .env  | Bin 17 -> 21 bytes\n a.txt |   1 +\n 2 files changed, 1 insertion(+)\n2413d9f two\n .env  | Bin 17 -> 21 bytes\n a.txt |   1 +\n 2 files changed, 1 insertion…"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"cat .env","description":"the content"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"cat .env","description":"the content"},"output":[{"type":"text","text":"Bash is not allowed in plan mode. Plan mode is read-only. Files with keys or credentials can't be read in plan mode."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

--- sh
printf 'TOKEN=TOPSECRET3\nB=2\nC=3\n' > .env && echo three >> a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "git status --short && git diff --name-only && git diff --stat && git diff HEAD~1 --stat && git diff && git diff --quiet; echo $?", "description": "changed"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git diff --stat; python3 -c 'print(open(\".env\").read().strip())'", "description": "on the layer"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- disk
nothing changed

--- transcript
session {"branch":"main","slug":"<slug 2>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 2>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"git status --short && git diff --name-only && git diff --stat && git diff HEAD~1 --stat && git diff && git diff --quiet; echo $?","description":"changed"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"git status --short && git diff --name-only && git diff --stat && git diff HEAD~1 --stat && git diff && git diff --quiet; echo $?","description":"changed"},"output":[{"type":"text","text":" M .env\n M a.txt\n.env\na.txt\n .env  | Bin 21 -> 25 bytes\n a.txt |   1 +\n 2 files changed, 1 insertion(+)\n .env  | Bin 17 -> 25 bytes\n a.txt |   2 ++\n 2 files cha…"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"git diff --stat; python3 -c 'print(open(\".env\").read().strip())'","description":"on the layer"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"git diff --stat; python3 -c 'print(open(\".env\").read().strip())'","description":"on the layer"},"output":[{"type":"text","text":" .env  | Bin 21 -> 25 bytes\n a.txt |   1 +\n 2 files changed, 1 insertion(+)\n# Closed by cutonce: keys\n\n(Plan mode: ran on a scratch copy of the project; what it…"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

--- machine without landlock
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "git status --short && git diff --stat && git diff", "description": "changed"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- transcript
session {"branch":"main","slug":"<slug 3>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 3>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"git status --short && git diff --stat && git diff","description":"changed"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"git status --short && git diff --stat && git diff","description":"changed"},"output":[{"type":"text","text":" M .env\n M a.txt\n .env  | Bin 21 -> 25 bytes\n a.txt |   1 +\n 2 files changed, 1 insertion(+)\ndiff --git a/.env b/.env\nindex c925a89..fb093ab 100644\nBinary files…"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

--- sh
if grep -rq TOPSECRET ~/.cutonce; then exit 1; fi
