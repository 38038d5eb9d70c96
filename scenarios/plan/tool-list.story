The tool list is the same bytes in and out of plan mode (PM-66): the story's third request comes after the mode was left. Where a host chooses to hide what
plan mode denies, those tools leave the list while it is on.

--- model
{"turns": [{"when": "NotebookEdit", "text": "with all tools"}, {"when": "NotebookEdit", "text": "with all tools again"}]}
--- run cutonce -p "one" --permission-mode plan
--- stdout
with all tools

--- run cutonce -p "two" --continue --permission-mode default
--- stdout
with all tools again

--- model
{"turns": [{"when": "NotebookEdit", "text": "still there"}, {"text": "NotebookEdit is gone"}]}
--- run cutonce -p "three" --permission-mode plan --hide-disallowed-tools
--- stdout
NotebookEdit is gone

