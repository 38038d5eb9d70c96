Keep planning with comments (UI-6, PM-74, PM-79): `c` comments on the line under the cursor, the words go to the model with the line's number and the line; the rejected plan stays in the conversation in a border with its feedback (PM-142); the next submission shows what changed and what was said to a line before.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count the users\n\n1. Guess\n2. Tell\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "{plan}", "old_string": "2. Tell", "new_string": "2. Tell everybody"}}, {"name": "ExitPlanMode", "input": {}}]}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< approve → accept edits
gone keys choose in a moment
press down down
press c
< comment on 3
> never guess
< never guess
press enter
< your comment goes with
press 5
> think 1 more time
< enter send and keep planning
--- shows

--- keys
press enter
< Plan rev 2
< approve → accept edits
gone keys choose in a moment
--- shows

--- keys
press d
< -   4   2. Tell
--- shows

--- keys
press esc
< Interrupted
--- history

--- keys
press ctrl+d
--- exit 0
--- seen

