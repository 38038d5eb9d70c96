Without a scope no layer shows what a command changed: the planned files are compared before and after it. What the session and its subagents run is evidence (PC-30), and never a change by someone else (PC-13): the writes that follow are not interrupted.

--- file a.txt
one
--- file b.txt
one
--- file plan.md
# Plan

## Steps

1. Change a
   - files: a.txt
   - check: `grep -q two a.txt`
2. Change b
   - files: b.txt
3. Change c
   - files: c.txt (new)
--- file ~/.cutonce/settings.json
{"plan": {"scope": "off"}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt"}}]},
  {"calls": [{"name": "Agent", "input": {"description": "change b", "prompt": "change b.txt", "subagent_type": "general-purpose"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ b.txt; echo c > c.txt; mv b.txt b2.txt; mv b2.txt b.txt"}}]},
  {"text": "b is changed"},
  {"calls": [{"name": "Read", "input": {"file_path": "b.txt"}}, {"name": "Read", "input": {"file_path": "c.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "three\n"}},
             {"name": "Write", "input": {"file_path": "c.txt", "content": "c\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md --permission-mode acceptEdits --allowedTools Bash
--- exit 0
--- stdout
done

--- stderr
Plan plan.md

checked  1. Change a
         files: 1 planned, changed a.txt
         check: grep -q two a.txt (exit 0, <time>)
changed  2. Change b
         files: 1 planned, changed b.txt
changed  3. Change c
         files: 1 planned, changed c.txt

No drift: the implementation follows the plan.

--- disk
changed a.txt
  two
changed b.txt
  three
created c.txt
  c

