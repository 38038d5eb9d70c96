When the window fills up the conversation is compacted by itself and the turn goes on (AG-8): the user's words, the open todos and the files in work
survive beside the summary.

--- file ~/.cutonce/settings.json
{"models": {"tiny": {"id": "tiny", "provider": "anthropic", "context": 6000, "maxOutput": 500}}, "compact": {"at": 0.7}}
--- sh
for i in $(seq 1 400); do echo "line $i of a long file that fills the window"; done > long.txt
--- model
{"turns": [
  {"calls": [{"name": "TodoWrite", "input": {"todos": [{"content": "Read it", "status": "completed", "activeForm": "Reading"}, {"content": "Count the lines", "status": "in_progress", "activeForm": "Counting"}]}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "long.txt"}}]},
  {"text": "MARKER: the user wants the lines counted; long.txt has 400."},
  {"text": "400 lines."}
]}
--- run cutonce -p "how many lines has long.txt? my lucky word is zebra" --model tiny
--- exit 0
--- stdout
MARKER: the user wants the lines counted; long.txt has 400.

--- transcript
session {}
user {"text":"how many lines has long.txt? my lucky word is zebra"}
assistant {"stop":"tool_use","blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"TodoWrite","input":{"todos":[{"content":"Read it","status":"completed","activeForm":"Reading"},{"content":"Count the lines","status":"in_progress","activeForm":"Counting"}]}}]}
tool {"decision":{"behavior":"allow","reason":"needs approval"},"isError":false,"output":[{"type":"text","text":"The list is stored: 1 done, 1 in progress, 0 open."}],"input":{"todos":[{"content":"Read it","status":"completed","activeForm":"Reading"},{"content":"Count the lines","status":"in_progress","activeForm":"Counting"}]},"callId":"toolu_0001_00","name":"TodoWrite"}
assistant {"stop":"tool_use","blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Read","input":{"file_path":"long.txt"}}]}
tool {"decision":{"behavior":"deny","reason":"needs approval; nobody can answer here"},"isError":true,"output":[{"type":"text","text":"Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."}],"input":{"file_path":"long.txt"},"callId":"toolu_0002_00","name":"Read"}
assistant {"stop":"end_turn","blocks":[{"type":"text","text":"MARKER: the user wants the lines counted; long.txt has 400."}]}

--- seen
request 1
  user: how many lines has long.txt? my lucky word is zebra
request 2
  assistant: call TodoWrite {"todos":[{"content":"Read it","status":"completed","activeForm":"Reading"},{"content":"Count the lines","status":"in_progress","activeForm":"Counting"}]}
  user: result: The list is stored: 1 done, 1 in progress, 0 open.
request 3
  assistant: call Read {"file_path":"long.txt"}
  user: error: Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it.

