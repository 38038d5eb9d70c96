Esc in the review decides nothing (PM-80): the turn ends, the plan waits in the conversation and above the composer, ctrl+p opens it again. After a restart it waits again (PM-85), and a message answers it as feedback. A plan that the user decides about between turns starts the next turn.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "{plan}"}}, {"name": "Edit", "input": {"file_path": "{plan}", "old_string": "Guess", "new_string": "Ask"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Implemented."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< 1 approve
press esc
< Plan waits for your decision
< ctrl+p opens it
press ctrl+p
< 1 approve
press esc
gone 1 approve
press ctrl+d
--- exit 0
--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"count the users"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n","sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5"}
ask {"askId":"<id>","kind":"plan"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Guess\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","steps":[{"id":"1","title":"Guess","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user has not decided about the plan yet: it is neither approved nor rejected, and it keeps waiting. Plan mode is still on. Do nothing more now; the user's a…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}

--- pty 80x24 cutonce --continue
--- keys
< 1 approve
press esc
gone 1 approve
> do not guess
press enter
< Plan rev 2
< 1 approve
press esc
< Plan waits for your decision
--- shows
│ 1. Guess                                                                    │
│                                                                             │
│ you: do not guess                                                           │
╰─────────────────────────────────────────────────────────────────────────────╯

● Read plan (<slug>.md)  3 lines
● Edit plan (<slug>.md)  +1 -1
    1   # Count
    2
    3 - 1. Guess
    3 + 1. Ask

╭─● Plan waits for your decision: ctrl+p opens it ────────────────────────────╮
│ Count                                                                       │
│                                                                             │
│ 1. Ask                                                                      │
╰─────────────────────────────────────────────────────────────────────────────╯

  A plan is ready: ctrl+p opens it

›

⏸ plan mode on (shift+tab to cycle) · exit  claude-sonnet-5-5 · <n>% · <n> tokens

--- keys
press ctrl+p
< 1 approve
gone keys choose in a moment
press 1
< enter confirm
press enter
< Implemented.
press ctrl+d
--- exit 0
--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"count the users"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n","sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5"}
ask {"askId":"<id>","kind":"plan"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Guess\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","steps":[{"id":"1","title":"Guess","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user has not decided about the plan yet: it is neither approved nor rejected, and it keeps waiting. Plan mode is still on. Do nothing more now; the user's a…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
session {"slug":"<slug>"}
plan {"slug":"<slug>","revision":1,"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n","sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"keepPlanning","feedback":"do not guess"}}
plan {"slug":"<slug>","revision":1,"sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5","outcome":"rejected"}
reminder {"kind":"plan_feedback","text":"The user did not approve the plan at $HOME/.cutonce/plans/<slug>.md; the user's message is the feedback on it. Plan mode is still on: change nothing but the pla…"}
user {"text":"do not guess"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Read","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md"}},{"type":"tool_use","id":"toolu_0002_01","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"Guess","new_string":"Ask"}},{"type":"tool_use","id":"toolu_0002_02","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Read","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md"},"output":[{"type":"text","text":"1\t# Count\n2\t\n3\t1. Guess"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md","sha256":"e38d7cf4098fcb8d09144cee78188226f57c832e5412d1aacf70f43bb6f1a9a5"}
tool {"callId":"toolu_0002_01","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"Guess","new_string":"Ask"},"output":[{"type":"text","text":"Edited $HOME/.cutonce/plans/<slug>.md:\n1\t# Count\n2\t\n3\t1. Ask"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":2,"sha256":"b71378f6b6cf55916edf3b157d4823796386d9b3754a64ab60cc200e7c33ddd9","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Ask\n","sha256":"b71378f6b6cf55916edf3b157d4823796386d9b3754a64ab60cc200e7c33ddd9"}
ask {"askId":"<id>","kind":"plan"}
tool {"callId":"toolu_0002_02","name":"ExitPlanMode","input":{"plan":"# Count\n\n1. Ask\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"b71378f6b6cf55916edf3b157d4823796386d9b3754a64ab60cc200e7c33ddd9","steps":[{"id":"1","title":"Ask","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user has not decided about the plan yet: it is neither approved nor rejected, and it keeps waiting. Plan mode is still on. Do nothing more now; the user's a…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits"}}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":2,"sha256":"b71378f6b6cf55916edf3b157d4823796386d9b3754a64ab60cc200e7c33ddd9","outcome":"approved"}
user {"text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…","meta":true}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"text","text":"Implemented."}],"stop":"end_turn"}

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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Count\n\n1. Guess\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: result: The user has not decided about the plan yet: it is neither approved nor rejected, and it keeps waiting. Plan mode is still on. Do nothing more now; the user's answer follows in a later message.
  user: <system-reminder>
        The user did not approve the plan at $HOME/.cutonce/plans/<slug>.md; the user's message is the feedback on it. Plan mode is still on: change nothing but the plan file. If the message is about the plan, revise it and submit it again with ExitPlanMode; otherwise answer the message.
        </system-reminder>
  user: do not guess
request 3
  assistant: call Read {"file_path":"$HOME/.cutonce/plans/<slug>.md"}
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"Guess","new_string":"Ask"}
  assistant: call ExitPlanMode {}
  user: result: 1	# Count
        2	
        3	1. Guess
  user: result: Edited $HOME/.cutonce/plans/<slug>.md:
        1	# Count
        2	
        3	1. Ask
  user: result: The user has not decided about the plan yet: it is neither approved nor rejected, and it keeps waiting. Plan mode is still on. Do nothing more now; the user's answer follows in a later message.
  user: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan:
        # Count
        
        1. Ask
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>

