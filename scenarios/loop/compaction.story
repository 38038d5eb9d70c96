When the context window is nearly full, the conversation is compacted and the turn continues (AG-8). The user's messages, the open todos and the files
in use survive next to the summary.

--- file ~/.cutonce/settings.json
{"models": {"tiny": {"id": "tiny", "provider": "anthropic", "context": 9600, "maxOutput": 500}}, "compact": {"at": 0.7}}
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
400 lines.

--- transcript
session {}
user {"text":"how many lines has long.txt? my lucky word is zebra"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"TodoWrite","input":{"todos":[{"content":"Read it","status":"completed","activeForm":"Reading"},{"content":"Count the lines","status":"in_progress","activeForm":"Counting"}]}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"TodoWrite","input":{"todos":[{"content":"Read it","status":"completed","activeForm":"Reading"},{"content":"Count the lines","status":"in_progress","activeForm":"Counting"}]},"output":[{"type":"text","text":"The list is stored: 1 done, 1 in progress, 0 open."}],"isError":false,"decision":{"behavior":"allow","reason":"Session tools are allowed in default mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Read","input":{"file_path":"long.txt"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Read","input":{"file_path":"long.txt"},"output":[{"type":"text","text":"1\tline 1 of a long file that fills the window\n2\tline 2 of a long file that fills the window\n3\tline 3 of a long file that fills the window\n4\tline 4 of a long fil…"}],"isError":false,"decision":{"behavior":"allow","reason":"Reads are allowed in default mode"}}
compaction {"summary":"MARKER: the user wants the lines counted; long.txt has 400.","kept":"# The user's messages so far, oldest first\n<message>\nhow many lines has long.txt? my lucky word is zebra\n</message>\n# Open todos\n- Count the lines (in progress)…"}
assistant {"blocks":[{"type":"text","text":"400 lines."}],"stop":"end_turn"}

--- seen
request 1
  user: how many lines has long.txt? my lucky word is zebra
request 2
  assistant: call TodoWrite {"todos":[{"content":"Read it","status":"completed","activeForm":"Reading"},{"content":"Count the lines","status":"in_progress","activeForm":"Counting"}]}
  user: result: The list is stored: 1 done, 1 in progress, 0 open.
request 3
  assistant: call Read {"file_path":"long.txt"}
  user: result: 1	line 1 of a long file that fills the window
        2	line 2 of a long file that fills the window
        3	line 3 of a long file that fills the window
        4	line 4 of a long file that fills the window
        5	line 5 of a long file that fills the window
        6	line 6 of a long file that fills the window
        7	line 7 of a long file that fills the window
        8	line 8 of a long file that fills the window
        9	line 9 of a long file that fills the window
        10	line 10 of a long file that fills the window
        11	line 11 of a long file that fills the window
        12	line 12 of a long file that fills the window
        13	line 13 of a long file that fills the window
        14	line 14 of a long file that fills the window
        … 385 more lines
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
request 4
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        MARKER: the user wants the lines counted; long.txt has 400.
        
        # The user's messages so far, oldest first
        <message>
        how many lines has long.txt? my lucky word is zebra
        </message>
        # Open todos
        - Count the lines (in progress)
        # Files in work, latest first (read again before editing)
        - long.txt

