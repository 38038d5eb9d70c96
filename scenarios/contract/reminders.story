While a plan is implemented, every fifth request repeats the open steps, and so does the first request after a compaction (PC-34). Steps that are done are not named.

--- file plan.md
# Greeting

## Steps

1. Write the greeting
   - files: hello.txt (new)
2. Mention it
   - files: notes.txt (new)
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]},
  {"calls": [{"name": "LS", "input": {"path": "."}}], "repeat": 6},
  {"calls": [{"name": "Write", "input": {"file_path": "notes.txt", "content": "see hello.txt\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md -p --permission-mode acceptEdits
--- exit 0
--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Greeting
        
        ## Steps
        
        1. Write the greeting
           - files: hello.txt (new)
        2. Mention it
           - files: notes.txt (new)
request 2
  assistant: call Write {"file_path":"hello.txt","content":"hello\n"}
  user: result: Created hello.txt (1 line).
request 3
  assistant: call LS {"path":"."}
  user: result: hello.txt  6 bytes
        plan.md  114 bytes
request 4
  assistant: call LS {"path":"."}
  user: result: hello.txt  6 bytes
        plan.md  114 bytes
request 5
  assistant: call LS {"path":"."}
  user: result: hello.txt  6 bytes
        plan.md  114 bytes
request 6
  assistant: call LS {"path":"."}
  user: result: hello.txt  6 bytes
        plan.md  114 bytes
  user: <system-reminder>
        Open plan steps:
        2. Mention it
        If the plan must change, say so.
        </system-reminder>
request 7
  assistant: call LS {"path":"."}
  user: result: hello.txt  6 bytes
        plan.md  114 bytes
request 8
  assistant: call LS {"path":"."}
  user: result: hello.txt  6 bytes
        plan.md  114 bytes
request 9
  assistant: call Write {"file_path":"notes.txt","content":"see hello.txt\n"}
  user: result: Created notes.txt (1 line).

--- sh
rm hello.txt notes.txt
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]}
]}
--- run cutonce implement plan.md -p --permission-mode acceptEdits --max-turns 1
--- exit 5
--- model
{"turns": [
  {"text": "The greeting is written."},
  {"calls": [{"name": "Write", "input": {"file_path": "notes.txt", "content": "see hello.txt\n"}}]},
  {"text": "done"}
]}
--- run cutonce --plain --continue
--- talk
< >
> /compact
< compacted
> go on
< No drift
> /exit
--- exit 0
--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Greeting
        
        ## Steps
        
        1. Write the greeting
           - files: hello.txt (new)
        2. Mention it
           - files: notes.txt (new)
  assistant: call Write {"file_path":"hello.txt","content":"hello\n"}
  user: result: Created hello.txt (1 line).
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
request 2
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        The greeting is written.
        
        # The user's messages so far, oldest first
        <message>
        Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Greeting
        
        ## Steps
        … 7 more lines
  user: go on
  user: <system-reminder>
        Open plan steps:
        2. Mention it
        If the plan must change, say so.
        </system-reminder>
request 3
  assistant: call Write {"file_path":"notes.txt","content":"see hello.txt\n"}
  user: result: Created notes.txt (1 line).

