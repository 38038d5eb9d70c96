A run that stops in the middle leaves scope and evidence in the transcript (PC-36): the next run knows which step is done, still denies what is outside the plan, and ends with the report of the whole implementation.

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
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --max-turns 1
--- exit 5
--- stderr
cutonce: stopped after 1 request (--max-turns); continue with --continue or raise the limit
Plan plan.md

changed  1. Write the greeting
         files: 1 planned, changed hello.txt
open     2. Mention it
         files: 1 planned, none changed

Planned but not changed:
  notes.txt
Open steps:
  2. Mention it
Checks that did not pass after the last change:
  grep -q hello hello.txt (step 1)

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "other.txt", "content": "other\n"}},
             {"name": "Write", "input": {"file_path": "notes.txt", "content": "see hello.txt\n"}}]},
  {"text": "done"}
]}
--- run cutonce -p "go on" --continue --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":3,"stop_reason":"end_turn","permission_denials":[{"tool_name":"Write","tool_use_id":"toolu_0001_00","tool_input":{"file_path":"other.txt","content":"other\n"}}],"terminal_reason":"completed","report":{"plan":{"slug":"plan.md","revision":0,"sha256":"55cde4470f7446a57d6169b1c93144ac53dcc89a7642d90813c7b1082ed3be15"},"steps":[{"id":"1","title":"Write the greeting","state":"checked","planned":["hello.txt"],"changed":["hello.txt"],"checks":[{"command":"grep -q hello hello.txt","exitCode":0,"by":"program","at":"<time>"}]},{"id":"2","title":"Mention it","state":"changed","planned":["notes.txt"],"changed":["notes.txt"],"checks":[]}],"outside":[],"untouched":[],"outOfOrder":[],"checksNotRun":[],"claims":[],"drift":false,"denied":["other.txt"]},"message":null,"event":{"message":null}}

--- disk
created notes.txt
  see hello.txt

