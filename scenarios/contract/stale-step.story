Freshness during the implementation (PC-13). Someone else changes a file of an open step: its first write waits for the user, who sees the diff and continues. After a resume the question comes at once; here the user cancels.

--- file a.txt
one
--- file b.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt\n2. Change b\n   - files: b.txt\n3. Add c\n   - files: c.txt (new)\n"}},
             {"name": "Read", "input": {"file_path": "a.txt"}}, {"name": "Read", "input": {"file_path": "b.txt"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "two\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "two\n"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "b.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "someone\ntwo\n"}}]},
  {"text": "c is for later"}, {"text": "c is for later"}, {"text": "That was all."}
]}
--- run cutonce --plain --permission-mode plan --session-id 019a0000-0000-7000-8000-00000000ccce "change a and b"
--- talk
< answer
> 2
< Press Enter
> y
< Write wants to change
! echo someone > b.txt
> 1
< b.txt changed under step 2
< +someone
> 1
< enter sends
> 
< Write wants to change
> 1
< That was all.
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  ## Steps
    4  
    5  1. Change a
    6     - files: a.txt
    7  2. Change b
    8     - files: b.txt
    9  3. Add c
   10     - files: c.txt (new)

  2 files change, 1 created, 0 deleted · 0 checks · 3 steps approved

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  scope: commands can't change files outside the plan: they run on a layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will approve rev 1 (sha 27a756) and continue in default.
Press Enter to confirm, or enter another choice.
answer: 
? Write wants to change: Edits need your OK in default mode
  | --- a.txt
  | +++ a.txt
  | @@ -1 +1 @@
  | -one
  | +two
  1 yes
  2 yes, and don't ask again here for Edit(./a.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./a.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: 
? Freshness: b.txt changed under step 2 since the approval. Continue with the plan?
  1 Continue: The plan is carried out on the changed files.
  | --- b.txt
  | +++ b.txt
  | @@ -1 +1 @@
  | -one
  | +someone
  2 Plan again: Plan mode: the agent amends the plan. Steps that are done stay done.
  3 Cancel: The implementation ends; the plan is parked.
  0 skip all of them
answer (a number, or your own text, =17 for the text 17): 
? Your answers:
  1 Freshness: Continue
  0 skip all of them
answer (enter sends, a number changes that answer): 
? Write wants to change: Edits need your OK in default mode
  | --- b.txt
  | +++ b.txt
  | @@ -1 +1,2 @@
  |  someone
  | +two
  1 yes
  2 yes, and don't ask again here for Edit(./b.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./b.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: c is for later
c is for later
That was all.

>

--- disk
changed a.txt
  two
changed b.txt
  someone
  two

--- sh
echo "not planned" > c.txt
--- run cutonce --plain --resume 019a0000-0000-7000-8000-00000000ccce
--- talk
< c.txt changed under step 3
> 3
< enter sends
> 
< cancelled
< >
> /exit
--- exit 0
--- stdout

> 
? Freshness: c.txt changed under step 3 since the approval. Continue with the plan?
  1 Continue: The plan is carried out on the changed files.
  | --- /dev/null
  | +++ c.txt
  | @@ -0,0 +1 @@
  | +not planned
  2 Plan again: Plan mode: the agent amends the plan. Steps that are done stay done.
  3 Cancel: The implementation ends; the plan is parked.
  0 skip all of them
answer (a number, or your own text, =17 for the text 17): 
? Your answers:
  1 Freshness: Cancel
  0 skip all of them
answer (enter sends, a number changes that answer): 
>

