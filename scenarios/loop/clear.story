/clear removes the conversation before it for good (AG-8, TL-3): a later compaction contains none of its messages, and files read before it must be
read again before they are overwritten.

--- file a.txt
old
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"text": "read it"},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "new\n"}}]},
  {"text": "wrote it"},
  {"text": "a summary"},
  {"text": "went on"}
]}
--- run cutonce --plain --permission-mode acceptEdits "my lucky word is zebra"
--- talk
< read it
< >
> /clear
> write it
< wrote it
< >
> /compact
> go on
< went on
< >
> /exit
--- disk
nothing changed

--- seen
request 1
  user: my lucky word is zebra
request 2
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	old
request 3
  user: write it
request 4
  assistant: call Write {"file_path":"a.txt","content":"new\n"}
  user: error: $WS/a.txt exists but was not read in this session. Read it first, then repeat the change.
request 5
  assistant: wrote it
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
request 6
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        a summary
        
        # The user's messages so far, oldest first
        <message>
        write it
        </message>
  user: go on

