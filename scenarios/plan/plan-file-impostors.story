Only Write and Edit with exactly the plan's path write it. A path with `..`, a symlink in its place, a hard link, another session's plan and a
subagent's plan do not match (PM-2, PM-42, PM-44). A symlink, a hard link, text that is not UTF-8, or a folder in its place is not "no plan" but an
error with path and cause, and the user is not asked (PM-73). Plan mode stays on, with a short reminder (PM-100).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file target.txt
untouched
--- file ~/.cutonce/plans/other-sessions-plan.md
# Not yours
--- model
{"turns": [
  {"calls": [
    {"name": "Write", "input": {"file_path": "$HOME/.cutonce/plans/../plans/x.md", "content": "x"}},
    {"name": "Write", "input": {"file_path": "$HOME/.cutonce/plans/other-sessions-plan.md", "content": "x"}},
    {"name": "Write", "input": {"file_path": "$HOME/.cutonce/settings.json", "content": "{}"}},
    {"name": "Read", "input": {"file_path": "{plan}"}}]},
  {"text": "tried others"},
  {"calls": [
    {"name": "Write", "input": {"file_path": "{plan}", "content": "through the link\n"}},
    {"name": "Edit", "input": {"file_path": "{plan}", "old_string": "untouched", "new_string": "touched"}},
    {"name": "ExitPlanMode", "input": {}}]},
  {"text": "tried the link"},
  {"calls": [
    {"name": "Write", "input": {"file_path": "{plan}", "content": "through the hard link\n"}},
    {"name": "ExitPlanMode", "input": {}}]},
  {"text": "tried the hard link"},
  {"calls": [{"name": "ExitPlanMode", "input": {}}, {"name": "Write", "input": {"file_path": "{plan}", "content": "# Written anew\n"}}]},
  {"text": "tried bytes"},
  {"calls": [{"name": "ExitPlanMode", "input": {}}, {"name": "Write", "input": {"file_path": "{plan}", "content": "in a folder\n"}}]},
  {"text": "tried a folder"}
]}
--- run cutonce --plain --permission-mode plan
--- talk
< >
> others
< tried others
< >
! ln -s $WS/target.txt $PLAN
> a link
< tried the link
< >
! rm $PLAN; ln $WS/target.txt $PLAN
> a hard link
< tried the hard link
< >
! rm $PLAN; printf 'bad \377 bytes\n' > $PLAN
> bytes
< tried bytes
< >
! rm $PLAN; mkdir $PLAN
> a folder
< tried a folder
< >
> /plan
< can't be read: it is a folder
> /plan off
< the mode is now default
> /exit
--- exit 0
--- stdout

> tried others

> tried the link

> tried the hard link

> tried bytes

> tried a folder

> 
> 
>

--- stderr
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
● Read $HOME/.cutonce/plans/<slug>.md
✗ Read $HOME/.cutonce/plans/<slug>.md does not exist.
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ Edit Edit is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ Submit the plan: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is a symbolic link, not a file. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
✗ Submit the plan: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is one of 2 hard links to the same file. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
✗ Submit the plan: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: not UTF-8 after byte 4. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
● Write $HOME/.cutonce/plans/<slug>.md
✗ Write $HOME/.cutonce/plans/<slug>.md exists but was not read in this session. Read it first, then repeat the change.
✗ Submit the plan: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is a folder, not a file. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
Already in plan mode. The plan file can't be read: it is a folder, not a file. Ask for a new plan, or repair the file.
mode: default
Left plan mode; the mode is now default.

--- seen
request 1
  user: others
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/../plans/x.md","content":"x"}
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/other-sessions-plan.md","content":"x"}
  assistant: call Write {"file_path":"$HOME/.cutonce/settings.json","content":"{}"}
  assistant: call Read {"file_path":"$HOME/.cutonce/plans/<slug>.md"}
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: $HOME/.cutonce/plans/<slug>.md does not exist.
request 3
  assistant: tried others
  user: a link
request 4
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"through the link\n"}
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"untouched","new_string":"touched"}
  assistant: call ExitPlanMode {}
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: Edit is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: ExitPlanMode: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is a symbolic link, not a file. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
request 5
  assistant: tried the link
  user: a hard link
request 6
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"through the hard link\n"}
  assistant: call ExitPlanMode {}
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: ExitPlanMode: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is one of 2 hard links to the same file. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
request 7
  assistant: tried the hard link
  user: bytes
request 8
  assistant: call ExitPlanMode {}
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Written anew\n"}
  user: error: ExitPlanMode: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: not UTF-8 after byte 4. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
  user: error: $HOME/.cutonce/plans/<slug>.md exists but was not read in this session. Read it first, then repeat the change.
request 9
  assistant: tried bytes
  user: a folder
request 10
  assistant: call ExitPlanMode {}
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"in a folder\n"}
  user: error: ExitPlanMode: the plan file $HOME/.cutonce/plans/<slug>.md can't be read: it is a folder, not a file. No approval was requested. Rewrite the plan file, then call ExitPlanMode again.
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.

--- disk
nothing changed

