What is allowed in plan mode, row by row (PM-1, PM-2, PM-60, PM-61, PM-71): allow rules for every tool, acceptEdits and bypassPermissions before entering lift nothing; deny rules still apply to reads; secrets stay closed. The plan file is the one thing that is written (PM-44).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "permissions": {"allow": ["Bash", "Write", "Edit", "NotebookEdit", "TodoWrite", "WebFetch", "KillShell", "ExitPlanMode", "Read"], "deny": ["Read(private.txt)"]}}
--- file a.txt
one
--- file private.txt
hidden
--- file book.ipynb
{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
--- file ~/outside.txt
outside
second line
--- file .ssh/id_rsa
key
--- file ~/.ssh/id_rsa
key
--- sh
touch -d 2020-01-01 a.txt; touch -d 2020-01-02 private.txt
--- model
{"turns": [
  {"calls": [
    {"name": "Read", "input": {"file_path": "a.txt"}},
    {"name": "Glob", "input": {"pattern": "*.txt"}},
    {"name": "Grep", "input": {"pattern": "one", "path": "a.txt", "output_mode": "content"}},
    {"name": "LS", "input": {"path": "$WS"}},
    {"name": "Read", "input": {"file_path": "$HOME/outside.txt", "limit": 1}},
    {"name": "Read", "input": {"file_path": "private.txt"}},
    {"name": "Read", "input": {"file_path": "$HOME/.ssh/id_rsa"}},
    {"name": "Bash", "input": {"command": "cat $HOME/.ssh/id_rsa", "description": "peek"}}]},
  {"calls": [
    {"name": "Write", "input": {"file_path": "new.txt", "content": "x\n"}},
    {"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}},
    {"name": "NotebookEdit", "input": {"notebook_path": "book.ipynb", "new_source": "1", "edit_mode": "insert", "cell_type": "code"}},
    {"name": "TodoWrite", "input": {"todos": []}},
    {"name": "Bash", "input": {"command": "cat a.txt | wc -l", "description": "count"}},
    {"name": "Bash", "input": {"command": "touch made.txt", "description": "make"}},
    {"name": "Bash", "input": {"command": "echo hi > made.txt", "description": "make"}},
    {"name": "Bash", "input": {"command": "env FOO=1 rm a.txt", "description": "remove"}},
    {"name": "Bash", "input": {"command": "echo $(rm a.txt)", "description": "remove"}},
    {"name": "Bash", "input": {"command": "python3 -c 'open(\"made.txt\",\"w\")'", "description": "make"}},
    {"name": "Bash", "input": {"command": "echo x > {plan}", "description": "the plan by shell"}},
    {"name": "Bash", "input": {"command": "sleep 5", "description": "bg", "run_in_background": true}},
    {"name": "KillShell", "input": {"shell_id": "bash_1"}},
    {"name": "Write", "input": {"file_path": "{plan}", "content": "# The plan\n"}},
    {"name": "Edit", "input": {"file_path": "{plan}", "old_string": "The plan", "new_string": "A better plan"}}]},
  {"text": "tried everything"}
]}
--- run cutonce --plain --dangerously-skip-permissions
--- talk
< >
> /plan try everything
< tried everything
< >
> /plan off
< the mode is now bypassPermissions
> /exit
--- exit 0
--- stderr
mode: plan
Enabled plan mode
● Read a.txt
● Glob *.txt
● Grep one in a.txt
● LS $WS
● Read $HOME/outside.txt 1-1
✗ Read Read of private.txt is denied by the rule `Read(private.txt)` from ~/.cutonce/settings.json. Do not try to work around this. Continue without it, or tell the user why you need it.
✗ Read Read is not allowed in plan mode. Plan mode is read-only. Files with keys or credentials can't be read in plan mode.
✗ Bash Bash is not allowed in plan mode. Plan mode is read-only. Files with keys or credentials can't be read in plan mode.
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ Edit Edit is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ NotebookEdit NotebookEdit is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ Todo list: TodoWrite is not allowed in plan mode. Plan mode is read-only.
● Bash cat a.txt | wc -l
✗ Bash Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
✗ Bash Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
✗ Bash Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
✗ Bash Bash is not allowed in plan mode. Plan mode is read-only. `rm a.txt` is refused. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
✗ Bash Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
✗ Bash Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
● Bash sleep 5
● Stop bash_1
● Write $HOME/.cutonce/plans/<slug>.md
● Edit $HOME/.cutonce/plans/<slug>.md
mode: bypassPermissions
Left plan mode; the mode is now bypassPermissions.

--- seen
request 1
  user: try everything
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call Read {"file_path":"a.txt"}
  assistant: call Glob {"pattern":"*.txt"}
  assistant: call Grep {"pattern":"one","path":"a.txt","output_mode":"content"}
  assistant: call LS {"path":"$WS"}
  assistant: call Read {"file_path":"$HOME/outside.txt","limit":1}
  assistant: call Read {"file_path":"private.txt"}
  assistant: call Read {"file_path":"$HOME/.ssh/id_rsa"}
  assistant: call Bash {"command":"cat $HOME/.ssh/id_rsa","description":"peek"}
  user: result: 1	one
  user: result: private.txt
        a.txt
  user: result: a.txt
        1:one
  user: result: .ssh/
        a.txt  4 bytes
        book.ipynb  66 bytes
        private.txt  7 bytes
  user: result: 1	outside
        [Lines 1-1 of 2. Read on with offset=2.]
  user: error: Read of private.txt is denied by the rule `Read(private.txt)` from ~/.cutonce/settings.json. Do not try to work around this. Continue without it, or tell the user why you need it.
  user: error: Read is not allowed in plan mode. Plan mode is read-only. Files with keys or credentials can't be read in plan mode.
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. Files with keys or credentials can't be read in plan mode.
request 3
  assistant: call Write {"file_path":"new.txt","content":"x\n"}
  assistant: call Edit {"file_path":"a.txt","old_string":"one","new_string":"two"}
  assistant: call NotebookEdit {"notebook_path":"book.ipynb","new_source":"1","edit_mode":"insert","cell_type":"code"}
  assistant: call TodoWrite {"todos":[]}
  assistant: call Bash {"command":"cat a.txt | wc -l","description":"count"}
  assistant: call Bash {"command":"touch made.txt","description":"make"}
  assistant: call Bash {"command":"echo hi > made.txt","description":"make"}
  assistant: call Bash {"command":"env FOO=1 rm a.txt","description":"remove"}
  assistant: call Bash {"command":"echo $(rm a.txt)","description":"remove"}
  assistant: call Bash {"command":"python3 -c 'open(\"made.txt\",\"w\")'","description":"make"}
  assistant: call Bash {"command":"echo x > $HOME/.cutonce/plans/<slug>.md","description":"the plan by shell"}
  assistant: call Bash {"command":"sleep 5","description":"bg","run_in_background":true}
  assistant: call KillShell {"shell_id":"bash_1"}
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# The plan\n"}
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"The plan","new_string":"A better plan"}
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: Edit is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: NotebookEdit is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: TodoWrite is not allowed in plan mode. Plan mode is read-only.
  user: result: 1
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. `rm a.txt` is refused. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
  user: result: Started in the background as bash_1; it ends with the session at the latest. Its output goes to $HOME/.cutonce/projects/<project>/<id>/bash_1.txt.
  user: result: bash_1: killed.
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
  user: result: Edited $HOME/.cutonce/plans/<slug>.md:
        1	# A better plan

--- disk
nothing changed

--- run cutonce plans show $SLUG
--- stdout
# A better plan

