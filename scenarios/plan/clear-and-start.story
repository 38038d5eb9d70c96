Approve, clear the context and start (PM-74, PM-81): the conversation restarts with one user message that contains the plan and its path. The session
stays the same, with a `clear` entry; nothing earlier reaches the model; the mode is the chosen one. A resumed session sees the same.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file a.txt
MARKER-BEFORE
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Write b\n"}}, {"name": "ExitPlanMode", "input": {}},
             {"name": "Write", "input": {"file_path": "never.txt", "content": "after the submission\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}}]},
  {"text": "implemented from the plan"},
  {"text": "still knows the plan"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> n use tabs
< answer
> 4 acceptEdits
< Press Enter to confirm
< answer:
> y
< implemented from the plan
< >
> /mode
< The mode is acceptEdits
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Write b

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
answer (a number, optionally with text): The note is sent with your choice.
answer: Will approve rev 1 (sha 3172df), clear the context and start in acceptEdits; your text: use tabs.
Press Enter to confirm, or enter another choice.
answer: 
> (the context was cleared)

> implemented from the plan

> 
>

--- stderr
● Read a.txt
● Write $HOME/.cutonce/plans/<slug>.md
mode: acceptEdits
✗ Write Not run: the turn was ended before this call.
● Write b.txt
The mode is acceptEdits. Others: default, plan.

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
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	MARKER-BEFORE
request 3
  user: Implement this plan. The user approved it, and it is saved at $HOME/.cutonce/plans/<slug>.md. If you must deviate from it, say so.
        
        Notes from the user:
        use tabs
        
        # Plan
        
        1. Write b
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 4
  assistant: call Write {"file_path":"b.txt","content":"b\n"}
  user: result: Created b.txt (1 line).

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Read","input":{"file_path":"a.txt"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Read","input":{"file_path":"a.txt"},"output":[{"type":"text","text":"1\tMARKER-BEFORE"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n"}},{"type":"tool_use","id":"toolu_0002_01","name":"ExitPlanMode","input":{}},{"type":"tool_use","id":"toolu_0002_02","name":"Write","input":{"file_path":"never.txt","content":"after the submission\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0002_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n","sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"clear","mode":"acceptEdits","notes":"use tabs"}}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":1,"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","outcome":"approved"}
tool {"callId":"toolu_0002_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Write b\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","steps":[{"id":"1","title":"Write b","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
tool {"callId":"toolu_0002_02","name":"Write","input":{"file_path":"never.txt","content":"after the submission\n"},"output":[{"type":"text","text":"Not run: the turn was ended before this call."}],"isError":true,"decision":{"behavior":"deny","reason":"the turn ended before it"}}
clear {}
session {"slug":"<slug>"}
user {"text":"Implement this plan. The user approved it, and it is saved at $HOME/.cutonce/plans/<slug>.md. If you must deviate from it, say so.\n\nNotes from the user:\nuse tab…","meta":true,"planContent":"# Plan\n\n1. Write b\n"}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Write","input":{"file_path":"b.txt","content":"b\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/b.txt"}
tool {"callId":"toolu_0003_00","name":"Write","input":{"file_path":"b.txt","content":"b\n"},"output":[{"type":"text","text":"Created b.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"implemented from the plan"}],"stop":"end_turn"}

--- disk
created b.txt
  b

--- run cutonce --plain --continue "go on"
--- talk
< still knows
< >
> /exit
--- seen
request 5
  assistant: implemented from the plan
  user: go on

