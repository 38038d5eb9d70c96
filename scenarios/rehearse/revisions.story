An earlier revision of the plan is rehearsed next to the one that waits, and a table compares them (RH-7). Only the one that waits can be applied; a result can be kept by name (RH-5).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; git add . && git commit -qm first
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Add b\n   - files: b.txt (new)\n   - check: test -s b.txt\n2. Add c\n   - files: c.txt (new)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}},
             {"name": "Write", "input": {"file_path": "c.txt", "content": "c\n"}}]},
  {"text": "rehearsed"},
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt"}}]},
  {"text": "rehearsed"},
  {"text": "All done."}
]}
--- run cutonce --plain --permission-mode plan "change a"
--- talk
< answer
> 5 no, add files
< Press Enter
> y
< rev 2
< answer
> r
< rehearsal r1: passed
> r rev 1
< rehearsal r2: passed
< rev 1, passed
> r rev 7
< can't be read
> a r2
< rehearsed rev 1, and rev 2 waits
> k r2 older
< kept as older
> a r1
< Press Enter
> y
< All done.
< >
> /exit
--- exit 0
--- disk
created b.txt
  b
created c.txt
  c

--- run cutonce rehearsals
--- exit 0
--- stdout
older
  plan <slug> in $WS
  passed, checks 1/1, 1 file, +1 -1, 0 denied, $0.02; deleted in 14 days


