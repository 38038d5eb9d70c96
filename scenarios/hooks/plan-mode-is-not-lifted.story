In plan mode hooks run, hear the mode, and lift nothing (HO-7, PM-61, PM-80): a hook that allows everything, approves everything and says continue makes no write, no command and no exit possible. A PlanSubmitted hook may send the plan back; PlanDecided hears how it ended.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"},
 "hooks": {
  "PreToolUse": [{"hooks": [{"type": "command", "command": "cat >> ~/told; echo '{\"decision\":\"approve\",\"continue\":true,\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'"}]}],
  "PlanSubmitted": [{"hooks": [{"type": "command", "command": "if grep -q measure; then echo '{\"decision\":\"approve\"}'; else echo 'say how it is measured' >&2; exit 2; fi"}]}],
  "PlanDecided": [{"hooks": [{"type": "command", "command": "cat >> ~/decided"}]}]
 }}
--- model
{"turns": [
  {"calls": [
    {"name": "Write", "input": {"file_path": "a.txt", "content": "x\n"}},
    {"name": "Bash", "input": {"command": "touch b.txt"}},
    {"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}},
    {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [
    {"name": "Edit", "input": {"file_path": "{plan}", "old_string": "# Plan", "new_string": "# Plan\n\n1. measure"}},
    {"name": "ExitPlanMode", "input": {}}]},
  {"text": "still planning"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> 5 not yet
< Press Enter to confirm
< answer:
> y
< still planning
< >
> /mode
< The mode is plan
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. measure

  0 files change, 0 created, 0 deleted · 0 checks · 1 step approved

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will approve nothing and keep planning; your text: not yet.
Press Enter to confirm, or enter another choice.
answer: still planning

> 
>

--- disk
nothing changed

--- seen
request 1
  user: task
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
  assistant: call Write {"file_path":"a.txt","content":"x\n"}
  assistant: call Bash {"command":"touch b.txt"}
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}
  assistant: call ExitPlanMode {}
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: error: Bash is not allowed in plan mode. Plan mode is read-only. Only commands known to be read-only may run. Use such a command, or a tool that reads files.
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
  user: error: The user's hook rejected the plan before the user saw it: say how it is measured
        
        Revise the plan at $HOME/.cutonce/plans/<slug>.md and submit it again.
request 3
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"# Plan","new_string":"# Plan\n\n1. measure"}
  assistant: call ExitPlanMode {}
  user: result: Edited $HOME/.cutonce/plans/<slug>.md:
        1	# Plan
        2	
        3	1. measure
  user: error: The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.
        
        Feedback from the user:
        not yet
        
        Revise the plan at $HOME/.cutonce/plans/<slug>.md accordingly, then submit it again with ExitPlanMode.

--- sh
grep -q '"permission_mode":"plan"' ~/told; grep -q '"decision":"rejected"' ~/decided; grep -q '"feedback":"not yet"' ~/decided
