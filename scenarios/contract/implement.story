`cutonce implement` follows an approved plan: writes and exit codes are the evidence, the program runs the checks that the model left out, and the report says that nothing drifted (PC-30, PC-31, PC-35). The exit code is 0, and `cutonce plans status` prints the same report.

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `grep -q hello hello.txt`\n2. Mention it\n   - files: notes.txt (new)\n   - check: `test -f notes.txt`\n   - after: 1\n"}},
             {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce plan "greet" --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `grep -q hello hello.txt`\n2. Mention it\n   - files: notes.txt (new)\n   - che…","num_turns":3,"stop_reason":"tool_use","permission_denials":[],"terminal_reason":"completed","plan":"# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `grep -q hello hello.txt`\n2. Mention it\n   - files: notes.txt (new)\n   - che…","path":"$HOME/.cutonce/plans/<slug>.md","slug":"<slug>","sha256":"70598b29dd96e3b41bc54847fab47e8faf957538a1e19ec8d62490a061afc66a","contract":{"sha256":"70598b29dd96e3b41bc54847fab47e8faf957538a1e19ec8d62490a061afc66a","steps":[{"id":"1","title":"Write the greeting","lines":[5,7],"files":[{"path":"hello.txt","kind":"new"}],"checks":["grep -q hello hello.txt"],"after":[]},{"id":"2","title":"Mention it","lines":[8,11],"files":[{"path":"notes.txt","kind":"new"}],"checks":["test -f notes.txt"],"after":["1"]}],"checks":[],"findings":[]},"message":null,"event":{"message":null}}

--- run cutonce plans show $SLUG --steps
--- exit 0
--- stdout
1. Write the greeting
   files: hello.txt (new)
   check: grep -q hello hello.txt
2. Mention it
   files: notes.txt (new)
   after: 1
   check: test -f notes.txt

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cd . && grep -q hello hello.txt > /dev/null"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "notes.txt", "content": "see hello.txt\n"}}]},
  {"text": "Both files are written."}
]}
--- run cutonce implement $SLUG --permission-mode acceptEdits
--- exit 0
--- stdout
Both files are written.

--- stderr
Plan <slug> (revision 1)

checked  1. Write the greeting
         files: 1 planned, changed hello.txt
         check: grep -q hello hello.txt (exit 0, <time>)
checked  2. Mention it
         files: 1 planned, changed notes.txt
         check: test -f notes.txt (exit 0, <time>)

No drift: the implementation follows the plan.

--- disk
created hello.txt
  hello
created notes.txt
  see hello.txt

--- transcript
session {}
mode {"from":"default","to":"acceptEdits","by":"start"}
contract {"approved":{"slug":"<slug>","revision":1,"contract":{"sha256":"70598b29dd96e3b41bc54847fab47e8faf957538a1e19ec8d62490a061afc66a","steps":[{"id":"1","title":"Write the greeting","lines":[5,7],"files":[{"path":"hello.txt","kind":"new"}],"checks":["grep -q hello hello.txt"],"after":[]},{"id":"2","title":"Mention it","lines":[8,11],"files":[{"path":"notes.txt","kind":"new"}],"checks":["test -f notes.txt"],"after":["1"]}],"checks":[],"findings":[]},"stamp":{"hello.txt":null,"notes.txt":null}},"scope":{"mode":"ask","files":["hello.txt","notes.txt"]}}
user {"text":"Implement this plan. The user approved it, and it is saved at $HOME/.cutonce/plans/<slug>.md. If you must deviate from it, say so.\n\n# Greeting\n\n## Steps\n\n1. Wri…","meta":true,"planContent":"# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `grep -q hello hello.txt`\n2. Mention it\n   - files: notes.txt (new)\n   - che…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"hello.txt","content":"hello\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/hello.txt"}
evidence {"evidence":{"kind":"wrote","path":"hello.txt","before":null,"after":"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"}}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"hello.txt","content":"hello\n"},"output":[{"type":"text","text":"Created hello.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"cd . && grep -q hello hello.txt > /dev/null"}}],"stop":"tool_use"}
evidence {"evidence":{"kind":"ran","command":"cd . && grep -q hello hello.txt > /dev/null","exitCode":0,"by":"model","at":"<time>"}}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"cd . && grep -q hello hello.txt > /dev/null"},"output":[{"type":"text","text":"(no output)"}],"isError":false,"decision":{"behavior":"allow","reason":"Read-only commands are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Write","input":{"file_path":"notes.txt","content":"see hello.txt\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/notes.txt"}
evidence {"evidence":{"kind":"wrote","path":"notes.txt","before":null,"after":"f5e5e7a302455afe55788c0408468c1da951c79c14da82d959947bfe181889c8"}}
tool {"callId":"toolu_0003_00","name":"Write","input":{"file_path":"notes.txt","content":"see hello.txt\n"},"output":[{"type":"text","text":"Created notes.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"Both files are written."}],"stop":"end_turn"}
evidence {"evidence":{"kind":"ran","command":"test -f notes.txt","exitCode":0,"by":"program","at":"<time>"}}
contract {"approved":null}

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $HOME/.cutonce/plans/<slug>.md. If you must deviate from it, say so.
        
        # Greeting
        
        ## Steps
        
        1. Write the greeting
           - files: hello.txt (new)
           - check: `grep -q hello hello.txt`
        2. Mention it
           - files: notes.txt (new)
           - check: `test -f notes.txt`
           - after: 1
request 2
  assistant: call Write {"file_path":"hello.txt","content":"hello\n"}
  user: result: Created hello.txt (1 line).
request 3
  assistant: call Bash {"command":"cd . && grep -q hello hello.txt > /dev/null"}
  user: result: (no output)
request 4
  assistant: call Write {"file_path":"notes.txt","content":"see hello.txt\n"}
  user: result: Created notes.txt (1 line).

--- run cutonce plans status $SLUG
--- exit 0
--- stdout
Plan <slug> (revision 1)

checked  1. Write the greeting
         files: 1 planned, changed hello.txt
         check: grep -q hello hello.txt (exit 0, <time>)
checked  2. Mention it
         files: 1 planned, changed notes.txt
         check: test -f notes.txt (exit 0, <time>)

No drift: the implementation follows the plan.

