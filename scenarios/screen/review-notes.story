A note with an approval (UI-6, PM-74, PM-77): `n` writes it, digits in it are text, a paste fills it and never answers; it reaches the model with the approval, and so does a comment.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count the users\n\n1. Count\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Counted."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< approve → accept edits
gone keys choose in a moment
paste 1\n1\n
press n
< note to the agent
> at most 2 files
paste , and\n1 test
< 1 test
press enter
press end
press c
< comment on 3
> twice
press enter
< your comment goes with
press 2
< enter confirm
--- shows
 Plan rev 1: Count the users                                         1 comment
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 1 step approved
── Count the users ─────────────────────────────────────────────── 3/3 · <n>% ──
     1   Count the users
     2
›    3 ● 1. Count
       ┃ you: twice











──  Approve rev 1 (sha 802872) → ask at each edit  ─────────────────────────────
 Sent along: 1 comment, 1 note. Context is kept. The agent starts at once.


 enter confirm                                                         esc back

--- keys
press enter
< Counted.
press ctrl+d
--- exit 0
--- seen
request 1
  user: count the users
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count the users\n\n1. Count\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: result: The user approved your plan and plan mode is off; the mode is now default. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        Notes from the user:
        at most 2 files, and
        1 test
        
        Comments from the user on lines of the plan:
        - line 3: `1. Count`
          twice
        
        ## Approved Plan:
        # Count the users
        … 1 more lines
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>

