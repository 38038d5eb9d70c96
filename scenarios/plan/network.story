`plan.network` lists hosts that commands in plan mode may reach, by name and through a proxy of cutonce. What is not listed stays closed, with a sentence
that says so, and the review names the hosts that were contacted (PM-67). A folder that is not trusted can't set it (PR-2).

--- file .cutonce/settings.json
{"plan": {"network": ["localhost:9"]}}
--- file ~/.cutonce/settings.json
{"plan": {"network": ["localhost:$PORT", "not a host"]}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "curl -s http://localhost:$PORT/ || echo closed", "description": "listed, but wrong setting"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- stderr
cutonce: $HOME/.cutonce/settings.json: `plan.network`: expected "off" or a list of hosts such as "crates.io" or "localhost:8080", got `not a host`; ignored
cutonce: Ignored until you trust this folder: plan. Trust it with /trust or `cutonce trust`.

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"curl -s http://localhost:$PORT/ || echo closed","description":"listed, but wrong setting"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"curl -s http://localhost:$PORT/ || echo closed","description":"listed, but wrong setting"},"output":[{"type":"text","text":"closed\n\n(Plan mode: ran on a scratch copy of the project; what it changed there is gone.)"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

--- file ~/.cutonce/settings.json
{"plan": {"network": ["localhost:$PORT"]}}
--- sh
mkdir -p ~/site && echo hello from the host > ~/site/page
cat > ~/serve.py <<'P'
import http.server, os, sys
os.chdir(os.path.expanduser("~/site"))
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a): pass
server = http.server.HTTPServer(("127.0.0.1", $PORT), Quiet)
print("ready", flush=True)
for _ in range(2): server.handle_request()
P
setsid timeout 60 python3 ~/serve.py > ~/ready 2>&1 < /dev/null &
until grep -q ready ~/ready; do :; done
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "curl -sS http://localhost:$PORT/page", "description": "listed"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "curl -sS http://localhost:9/page; curl -s --noproxy '*' http://localhost:$PORT/page || echo closed", "description": "not listed"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Later."}
]}
--- run cutonce --plain --permission-mode plan
--- talk
< >
> look around
< contacted: localhost:
< answer
> 6
< Press Enter to confirm
> y
< >
> /exit
--- exit 0
--- stderr
cutonce: Ignored until you trust this folder: plan. Trust it with /trust or `cutonce trust`.
● Bash curl -sS http://localhost:$PORT/page
● Bash curl -sS http://localhost:9/page; curl -s --noproxy '*' http://localhost:$PORT/page || echo closed
● Write $HOME/.cutonce/plans/<slug 2>.md
mode: default

--- transcript
session {"slug":"<slug 2>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 2>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"curl -sS http://localhost:$PORT/page","description":"listed"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"curl -sS http://localhost:$PORT/page","description":"listed"},"output":[{"type":"text","text":"hello from the host\n\n(Plan mode: ran on a scratch copy of the project; what it changed there is gone.)"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"curl -sS http://localhost:9/page; curl -s --noproxy '*' http://localhost:$PORT/page || echo closed","description":"not listed"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"curl -sS http://localhost:9/page; curl -s --noproxy '*' http://localhost:$PORT/page || echo closed","description":"not listed"},"output":[{"type":"text","text":"cutonce: localhost:9 is not listed in plan.network.\nclosed\n\n(Plan mode: ran on a scratch copy of the project; what it changed there is gone.)"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# Plan\n"}},{"type":"tool_use","id":"toolu_0003_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug 2>.md"}
tool {"callId":"toolu_0003_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# Plan\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug 2>.md (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug 2>","revision":1,"sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# Plan\n","sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"leave"}}
plan {"slug":"<slug 2>","revision":1,"sha256":"c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577","outcome":"left"}
mode {"from":"plan","to":"default","by":"user"}
tool {"callId":"toolu_0003_01","name":"ExitPlanMode","input":{"plan":"# Plan\n","planFilePath":"$HOME/.cutonce/plans/<slug 2>.md"},"output":[{"type":"text","text":"The user left plan mode without approving and kept the plan at $HOME/.cutonce/plans/<slug 2>.md. Do not implement it. Wait for the user's next message."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}

--- machine without namespaces
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "curl -s http://localhost:$PORT/page || echo closed", "description": "no network"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode plan "look around"
--- exit 0
--- stderr
cutonce: Ignored until you trust this folder: plan. Trust it with /trust or `cutonce trust`.
cutonce: Plan mode: commands have no network: `plan.network` needs user namespaces.

--- transcript
session {"slug":"<slug 3>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"look around"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 3>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"curl -s http://localhost:$PORT/page || echo closed","description":"no network"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"curl -s http://localhost:$PORT/page || echo closed","description":"no network"},"output":[{"type":"text","text":"closed"}],"isError":false,"decision":{"behavior":"allow","reason":"runs in plan mode's read-only sandbox"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

