A program that follows an implementation gets an event for each step that changes its state, for each check that cutonce runs, and for the report (PC-32, PC-35, PC-38): with these names and fields.

--- file plan.md
# Greeting

## Steps

1. Write the greeting
   - files: hello.txt (new)
   - check: grep -q hello hello.txt
2. Mention it
   - files: notes.txt (new)
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hullo\n"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "grep -q hello hello.txt"}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "hello.txt", "old_string": "hullo", "new_string": "hello"}},
             {"name": "Write", "input": {"file_path": "notes.txt", "content": "see hello.txt\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md -p --output-format stream-json --permission-mode acceptEdits
--- exit 0
--- frames
{"type":"system","subtype":"plan.implement","planFilePath":"$WS/plan.md","planContent":"# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: grep -q hello hello.txt\n2. Mention it\n   - files: notes.txt (new)\n","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"init","mcp_servers":[],"model":"claude-sonnet-5-5","permissionMode":"acceptEdits","slash_commands":[],"apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325","output_style":"default","agents":["Explore","Plan","general-purpose"],"skills":[],"plugins":[],"capabilities":["interrupt_receipt_v1","interrupt_cancel_queued_v1"],"message":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"hello.txt","content":"hullo\n"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"plan.step","step":"1","state":"changed","files":["hello.txt"],"check":null,"exitCode":null,"time":"<time>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0001_00","content":"Created hello.txt (1 line).","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"type":"create","filePath":"$WS/hello.txt","diff":"--- /dev/null\n+++ hello.txt\n@@ -0,0 +1 @@\n+hullo\n","added":1,"removed":0},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"grep -q hello hello.txt"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"plan.step","step":"1","state":"failed","files":["hello.txt"],"check":"grep -q hello hello.txt","exitCode":1,"output":"(no output)\n\nExit code 1","time":"<time>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0002_00","content":"(no output)\n\nExit code 1","is_error":true}]},"parent_tool_use_id":null,"tool_use_result":{"exitCode":1,"signal":null,"timedOut":false,"interrupted":false},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0003_00","name":"Edit","input":{"file_path":"hello.txt","old_string":"hullo","new_string":"hello"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"toolu_0003_01","name":"Write","input":{"file_path":"notes.txt","content":"see hello.txt\n"}}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0003_00","content":"Edited hello.txt:\n1\thello","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"type":"update","filePath":"$WS/hello.txt","diff":"--- hello.txt\n+++ hello.txt\n@@ -1 +1 @@\n-hullo\n+hello\n","added":1,"removed":1},"event":{"message":null}}
{"type":"system","subtype":"plan.step","step":"2","state":"changed","files":["notes.txt"],"check":null,"exitCode":null,"time":"<time>","message":null,"event":{"message":null}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0003_01","content":"Created notes.txt (1 line).","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"type":"create","filePath":"$WS/notes.txt","diff":"--- /dev/null\n+++ notes.txt\n@@ -0,0 +1 @@\n+see hello.txt\n","added":1,"removed":0},"event":{"message":null}}
{"type":"assistant","message":{"id":"<id>","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"done"}],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"event":{"message":null}}
{"type":"system","subtype":"informational","content":"Checking the plan: grep -q hello hello.txt","level":"info","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.step","step":"1","state":"checked","files":["hello.txt"],"check":"grep -q hello hello.txt","exitCode":0,"output":"(no output)","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.check","command":"grep -q hello hello.txt","exitCode":0,"output":"(no output)","time":"<time>","message":null,"event":{"message":null}}
{"type":"system","subtype":"plan.report","plan":{"slug":"plan.md","revision":0,"sha256":"55cde4470f7446a57d6169b1c93144ac53dcc89a7642d90813c7b1082ed3be15"},"steps":[{"id":"1","title":"Write the greeting","state":"checked","planned":["hello.txt"],"changed":["hello.txt"],"checks":[{"command":"grep -q hello hello.txt","exitCode":0,"by":"program","at":"<time>"}]},{"id":"2","title":"Mention it","state":"changed","planned":["notes.txt"],"changed":["notes.txt"],"checks":[]}],"outside":[],"untouched":[],"outOfOrder":[],"checksNotRun":[],"claims":[],"drift":false,"time":"<time>","message":null,"event":{"message":null}}
{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":5,"stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed","report":{"plan":{"slug":"plan.md","revision":0,"sha256":"55cde4470f7446a57d6169b1c93144ac53dcc89a7642d90813c7b1082ed3be15"},"steps":[{"id":"1","title":"Write the greeting","state":"checked","planned":["hello.txt"],"changed":["hello.txt"],"checks":[{"command":"grep -q hello hello.txt","exitCode":0,"by":"program","at":"<time>"}]},{"id":"2","title":"Mention it","state":"changed","planned":["notes.txt"],"changed":["notes.txt"],"checks":[]}],"outside":[],"untouched":[],"outOfOrder":[],"checksNotRun":[],"claims":[],"drift":false},"message":null,"event":{"message":null}}

