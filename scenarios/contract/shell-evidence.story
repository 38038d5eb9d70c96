What commands change is evidence like what tools write (PC-30, PC-35): permissions, links, files of a planned glob and of a planned folder. One command may do two steps at once, in any order. The program's checks run in the workspace's root, although the model works in a folder of it (PC-31). It is the same with and without a scope.

--- file tool.sh
echo hi
--- file docs/a.md
one
--- file conf/old.conf
x=1
--- file plan.md
# Tidy up

## Steps

1. Make it executable
   - files: tool.sh
   - check: `test -x tool.sh`
2. Link the configuration
   - files: current.conf (new)
   - check: `test -L current.conf`
3. Rename it in the documents
   - files: docs/*.md
   - check: `grep -q two docs/a.md`
4. Add the folder
   - files: scripts/ (new)
5. Remove what is old
   - files: conf/old.conf (delete)
   - check: `test ! -e conf/old.conf`
   - after: 3, 4
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "chmod +x tool.sh && ln -s tool.sh current.conf"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "mkdir scripts && echo run > scripts/run && sed -i s/one/two/ docs/a.md && rm conf/old.conf"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cd docs && ls"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- stderr
Plan plan.md

checked  1. Make it executable
         files: 1 planned, changed tool.sh
         check: test -x tool.sh (exit 0, <time>)
checked  2. Link the configuration
         files: 1 planned, changed current.conf
         check: test -L current.conf (exit 0, <time>)
checked  3. Rename it in the documents
         files: 1 planned, changed docs/a.md
         check: grep -q two docs/a.md (exit 0, <time>)
changed  4. Add the folder
         files: 1 planned, changed scripts/run
checked  5. Remove what is old
         files: 1 planned, changed conf/old.conf
         check: test ! -e conf/old.conf (exit 0, <time>)

No drift: the implementation follows the plan.

--- disk
deleted conf/old.conf
changed docs/a.md
  two
created scripts/run
  run

--- sh
chmod -x tool.sh
rm -r scripts current.conf
echo one > docs/a.md
echo x=1 > conf/old.conf
--- file ~/.cutonce/settings.json
{"plan": {"scope": "off"}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "chmod +x tool.sh && ln -s tool.sh current.conf"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "mkdir scripts && echo run > scripts/run && sed -i s/one/two/ docs/a.md && rm conf/old.conf"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cd docs && ls"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- stderr
Plan plan.md

checked  1. Make it executable
         files: 1 planned, changed tool.sh
         check: test -x tool.sh (exit 0, <time>)
checked  2. Link the configuration
         files: 1 planned, changed current.conf
         check: test -L current.conf (exit 0, <time>)
checked  3. Rename it in the documents
         files: 1 planned, changed docs/a.md
         check: grep -q two docs/a.md (exit 0, <time>)
changed  4. Add the folder
         files: 1 planned, changed scripts/run
checked  5. Remove what is old
         files: 1 planned, changed conf/old.conf
         check: test ! -e conf/old.conf (exit 0, <time>)

No drift: the implementation follows the plan.

