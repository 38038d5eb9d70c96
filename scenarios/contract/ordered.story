A user's explicit order wins (PC-24): with an enforced scope a file outside the plan is denied, but one that the user's last message names is asked about, and one key adds it to the plan.

--- file b.txt
one
--- file c.txt
one
--- file ~/.cutonce/settings.json
{"plan": {"scope": "enforce", "lint": "off"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Add a\n   - files: a.txt (new)\n2. Add d\n   - files: d.txt (new)\n"}},
             {"name": "Read", "input": {"file_path": "b.txt"}}, {"name": "Read", "input": {"file_path": "c.txt"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "a\n"}}]},
  {"text": "more later"}, {"text": "more later"}, {"text": "A is done."},
  {"calls": [{"name": "Write", "input": {"file_path": "c.txt", "content": "two\n"}},
             {"name": "Write", "input": {"file_path": "b.txt", "content": "two\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "three\n"}},
             {"name": "Write", "input": {"file_path": "d.txt", "content": "d\n"}}]},
  {"text": "B is done."}
]}
--- run cutonce --plain --permission-mode plan "add a"
--- talk
< answer
> 1
< Press Enter
> y
< A is done.
< >
> Also change b.txt, please.
< add b.txt to the plan
> 2
< B is done.
< >
> /exit
--- exit 0
--- disk
created a.txt
  a
changed b.txt
  three
created d.txt
  d

