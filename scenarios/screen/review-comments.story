Keep planning with comments (UI-6, PM-74, PM-79): `c` comments on the line under the cursor; the model gets the comment with the line and its number.
The rejected plan stays in the conversation in a border with its feedback (PM-142); the next submission shows the changes and the earlier comments.

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
 Plan rev 1: Count the users                                         1 comment
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved
── Count the users ──────────────────────────────────────────────── 3/4 · <n>% ──
     1   Count the users
     2
›    3 ● 1. Guess
       ┃ you: never guess
     4   2. Tell










──  Request changes → plan  ────────────────────────────────────────────────────
 What should change? (optional) Sent along: 1 comment.
 › think 1 more time

 enter send and keep planning · ctrl+j new line                        esc back

--- keys
press enter
< Plan rev 2
< approve → accept edits
gone keys choose in a moment
--- shows
 Plan rev 2: Count the users                            +0 -0 ~1 since rev 1
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved
── Count the users ──────────────────────────────────────────────── 1/4 · <n>% ──
›    1   Count the users
     2
     3 ● 1. Guess
       ┃ you, rev 1: never guess   line unchanged since you asked
 ~   4   2. Tell everybody










────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press d
< -   4   2. Tell
--- shows
 Plan rev 2: Count the users                            +0 -0 ~1 since rev 1
 <plan>  0 files changed since entry, checked
 0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved
── Count the users ──────────────────────────────────────────────── 1/4 · <n>% ──
›    1   Count the users
     2
     3 ● 1. Guess
       ┃ you, rev 1: never guess   line unchanged since you asked
 -   4   2. Tell
 ~   4   2. Tell everybody









────────────────────────────────────────────────────────────────── context <n>% ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  s steps  m model  f effort  b budget  o outline  / find  y copy  ?

--- keys
press esc
< Plan waits
--- history
> count the users

● Write plan (<slug>.md)  new file, 4 lines
    1   # Count the users
    2
    3   1. Guess
    4   2. Tell

╭─● Plan not approved, still planning ────────────────────────────────────────╮
│ Count the users                                                             │
│                                                                             │
│ 1. Guess                                                                    │
│ 2. Tell                                                                     │
│                                                                             │
│ you: think 1 more time                                                      │
│ line 3: 1. Guess                                                            │
│   you: never guess                                                          │
╰─────────────────────────────────────────────────────────────────────────────╯

● Edit plan (<slug>.md)  +1 -1
    1   # Count the users
    2
    3   1. Guess
    4 - 2. Tell
    4 + 2. Tell everybody

╭─● Plan waits for your decision: ctrl+p opens it ────────────────────────────╮
│ Count the users                                                             │
│                                                                             │
│ 1. Guess                                                                    │
│ 2. Tell everybody                                                           │
╰─────────────────────────────────────────────────────────────────────────────╯

  A plan is ready: ctrl+p opens it

›

⏸ plan mode on (shift+tab to cycle) · exit  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count the users\n\n1. Guess\n2. Tell\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (4 lines).
  user: error: The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.
        
        Feedback from the user:
        think 1 more time
        
        Comments from the user on lines of the plan:
        - line 3: `1. Guess`
          never guess
        
        Revise the plan at $HOME/.cutonce/plans/<slug>.md accordingly, then submit it again with ExitPlanMode.

