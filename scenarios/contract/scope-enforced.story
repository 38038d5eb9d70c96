With `plan.scope` "enforce" a write outside the approved plan is denied, by a subagent too (PC-20, PC-23), and the result says to amend the plan. In bypassPermissions "ask" reports instead of asking, and "enforce" still denies.

--- file plan.md
# Plan

## Steps

1. Add the page
   - files: page.txt (new)
--- file ~/.cutonce/settings.json
{"plan": {"scope": "enforce"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "other.txt", "content": "other\n"}}]},
  {"calls": [{"name": "Agent", "input": {"description": "write it", "prompt": "write other.txt", "subagent_type": "general-purpose"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "other.txt", "content": "by the agent\n"}}]},
  {"text": "could not"},
  {"calls": [{"name": "Write", "input": {"file_path": "page.txt", "content": "page\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md --permission-mode bypassPermissions
--- exit 0
--- stdout
done

--- stderr
Plan plan.md

changed  1. Add the page
         files: 1 planned, changed page.txt

Denied writes outside the plan:
  other.txt
No drift: the implementation follows the plan.

--- disk
created page.txt
  page

--- sh
rm -f page.txt
--- file ~/.cutonce/settings.json
{"plan": {"scope": "ask"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "other.txt", "content": "other\n"}},
             {"name": "Write", "input": {"file_path": "page.txt", "content": "page\n"}}]},
  {"text": "done"}
]}
--- run cutonce implement plan.md --permission-mode bypassPermissions
--- exit 5
--- stdout
done

--- stderr
Plan plan.md

changed  1. Add the page
         files: 1 planned, changed page.txt

Changed outside the plan:
  other.txt

--- disk
created other.txt
  other
created page.txt
  page

