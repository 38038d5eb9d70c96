Someone else changes a file of an open step (PC-13), and the user plans again: plan mode starts with what changed, the amendment keeps the evidence of the step that is done (PC-40), and its approval knows the changed file.

--- file a.txt
one
--- file b.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt\n   - check: `grep -q two a.txt`\n2. Change b\n   - files: b.txt\n"}},
             {"name": "Read", "input": {"file_path": "a.txt"}}, {"name": "Read", "input": {"file_path": "b.txt"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "two\n"}},
             {"name": "Bash", "input": {"command": "grep -q two a.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "two\n"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "b.txt"}},
             {"name": "Edit", "input": {"file_path": "{plan}", "old_string": "2. Change b", "new_string": "2. Change b, and keep what is there"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "someone\ntwo\n"}}]},
  {"text": "Both are changed."}
]}
--- run cutonce --plain --permission-mode plan "change a and b"
--- talk
< answer
> 2
< Press Enter
> y
< Write wants to change
! echo someone > b.txt
> 1
< b.txt changed under step 2
< 0 skip all
> 2
< enter sends
> 
< keep what is there
< answer
> 1
< Press Enter
> y
< Both are changed.
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
    7     - check: `grep -q two a.txt`
    8  2. Change b
    9     - files: b.txt

  2 files change, 0 created, 0 deleted · 1 check · 2 steps approved

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
answer (a number, optionally with text): Will approve rev 1 (sha 86f014) and continue in default.
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
  1 Freshness: Plan again
  0 skip all of them
answer (enter sends, a number changes that answer): 
? Exit plan mode?
  plan rev 2 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  ## Steps
    4  
    5  1. Change a
    6     - files: a.txt
    7     - check: `grep -q two a.txt`
    8  2. Change b, and keep what is there
    9     - files: b.txt

  changes to the approved revision 1:
  | @@ -6,4 +6,4 @@
  |     - files: a.txt
  |     - check: `grep -q two a.txt`
  | -2. Change b
  | +2. Change b, and keep what is there
  |     - files: b.txt

  2 files change, 0 created, 0 deleted · 1 check · 2 steps approved, 1 changed or new

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  scope: commands can't change files outside the plan: they run on a layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, d diff to the approved revision, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will approve rev 2 (sha 4fc709) and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: Both are changed.

>

--- disk
changed a.txt
  two
changed b.txt
  someone
  two

