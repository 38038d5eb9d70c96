A rehearsal counts in the session's cost (DU-3), so that a session's budget stops it (PC-12): nothing is applied, and the plan still waits.

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\nAdd c.txt.\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "c.txt", "content": "c\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "c.txt", "content": "c\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "c.txt", "content": "c\n"}}]},
  {"text": "rehearsed"}
]}
--- run cutonce --plain --permission-mode plan --max-budget-usd 0.017 "add c"
--- talk
< answer
> r
< rehearsal r1 ended
> 6
< Press Enter
> y
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  Add c.txt.

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
answer (a number, optionally with text): 
rehearsal r1 started with anthropic/claude-sonnet-5-5; x cancels it

rehearsal r1 ended: the session's budget of $0.017 (`--max-budget-usd`) is used up
Will exit plan mode and keep the plan; starts nothing; the mode becomes default.
Press Enter to confirm, or enter another choice.
answer: 
>

--- disk
nothing changed

