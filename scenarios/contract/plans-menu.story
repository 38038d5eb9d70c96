`/plans` lists plans with state and progress (PC-41). A plan that was left is parked, then opened for review again without the model, and approved.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `test -f hello.txt`\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "hello.txt", "content": "hello\n"}}]},
  {"text": "The greeting is there."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> greet
press enter
< approve → accept edits
gone keys choose in a moment
press 6
< enter confirm
press enter
gone enter confirm
< tokens
gone interrupt
> /plans
press enter
< left r1
press p
< Parked
> /plans
press enter
< parked r1
--- shows
 Plans, those of this project first
› <slug>  parked r1  Greeting

● Greeting
  Greeting

  Steps

  1. Write the greeting
     • files: hello.txt (new)
     • check: test -f hello.txt












 enter review · w switch to it · p park · r report · x delete · esc back

--- keys
press enter
< approve → accept edits
gone keys choose in a moment
press 1
< enter confirm
press enter
< The greeting is there.
< opens the report
gone interrupt
> /plans
press enter
< 1/1 steps
--- shows
 Plans, those of this project first
› <slug>  approved r1 1/1 steps  Greeting

● Greeting
  Greeting

  Steps

  1. Write the greeting
     • files: hello.txt (new)
     • check: test -f hello.txt












 enter review · w switch to it · p park · r report · x delete · esc back

--- keys
press x
< X deletes
press esc
gone X deletes
press ctrl+d
--- exit 0
