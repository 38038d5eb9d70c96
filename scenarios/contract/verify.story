At the end the program runs the checks that have not passed since the last write (PC-31). With `"verify": "ask"` the user decides about each of them; with `"off"` none runs, and the report says so.

--- file plan.md
# Greeting

## Steps

1. Write the greeting
   - files: hello.txt (new)
   - check: grep -q hello hello.txt
--- file ~/.cutonce/settings.json
{"plan": {"verify": "off"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md -p --permission-mode acceptEdits
--- exit 5
--- stderr
Plan plan.md

changed  1. Write the greeting
         files: 1 planned, changed hello.txt

Checks that did not pass after the last change:
  grep -q hello hello.txt (step 1)

--- sh
rm hello.txt
--- file ~/.cutonce/settings.json
{"plan": {"verify": "ask"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md -p --permission-mode acceptEdits
--- exit 5
--- stderr
cutonce: The check `grep -q hello hello.txt` did not run: checks of the plan need your OK (`plan.verify`); this session can't ask.
Plan plan.md

changed  1. Write the greeting
         files: 1 planned, changed hello.txt

Checks that did not pass after the last change:
  grep -q hello hello.txt (step 1)

--- sh
rm hello.txt
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: grep -q hello hello.txt\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]},
  {"text": "done"}
]}
--- run cutonce --plain --permission-mode plan "greet"
--- talk
< answer
> 1
< Press Enter
> y
< grep -q hello hello.txt
< answer
> 1
< No drift
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Greeting
    2  
    3  ## Steps
    4  
    5  1. Write the greeting
    6     - files: hello.txt (new)
    7     - check: grep -q hello hello.txt

  0 files change, 1 created, 0 deleted · 1 check · 1 step approved

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
answer (a number, optionally with text): Will approve rev 1 (sha 814967) and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: done

? Bash wants to run: checks of the plan need your OK (`plan.verify`)
  | grep -q hello hello.txt
  1 yes
  3 no (add text to tell the agent why)
answer: 
>

