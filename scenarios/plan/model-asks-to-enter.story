`plan.entry: "ask"`: the user is asked before the model enters plan mode. If the user declines, the mode is unchanged and the model continues without
planning. `"never"`: the tool is not offered (PM-4). It is also not offered where no one can approve the exit (PM-32).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly", "entry": "ask"}}
--- model
{"turns": [
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"text": "planning"}
]}
--- run cutonce --plain "a big task"
--- talk
< answer:
> 3
< answer:
> maybe
< answer:
> 1
< planning
< >
> /exit
--- exit 0
--- stdout

? The agent wants to plan before it changes anything.
  1 yes, plan first
  3 no, continue without a plan
answer: 
? The agent wants to plan before it changes anything.
  1 yes, plan first
  3 no, continue without a plan
answer: 
? The agent wants to plan before it changes anything.
  1 yes, plan first
  3 no, continue without a plan
answer: planning

>

--- stderr
mode: plan

--- seen
request 1
  user: a big task
request 2
  assistant: call EnterPlanMode {}
  user: result: The user does not want plan mode for this. The mode is unchanged: continue without planning.
request 3
  assistant: call EnterPlanMode {}
  user: result: Plan mode is on. Explore the code and design the approach; edit nothing yet. Finish with ExitPlanMode, which asks the user to approve the plan. Detailed instructions follow.
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

--- transcript
session {}
user {"text":"a big task"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"EnterPlanMode","input":{}}],"stop":"tool_use"}
ask {"askId":"<id>","kind":"enter_plan"}
ask {"askId":"<id>","kind":"enter_plan","answer":{"kind":"permission","behavior":"deny","message":"","interrupt":false}}
tool {"callId":"toolu_0001_00","name":"EnterPlanMode","input":{},"output":[{"type":"text","text":"The user does not want plan mode for this. The mode is unchanged: continue without planning."}],"isError":false,"decision":{"behavior":"allow","reason":"Session tools are allowed in default mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"EnterPlanMode","input":{}}],"stop":"tool_use"}
ask {"askId":"<id>","kind":"enter_plan"}
ask {"askId":"<id>","kind":"enter_plan","answer":{"kind":"permission","behavior":"allow","remember":[]}}
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"model"}
tool {"callId":"toolu_0002_00","name":"EnterPlanMode","input":{},"output":[{"type":"text","text":"Plan mode is on. Explore the code and design the approach; edit nothing yet. Finish with ExitPlanMode, which asks the user to approve the plan. Detailed instruc…"}],"isError":false,"decision":{"behavior":"allow","reason":"Session tools are allowed in default mode"}}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"text","text":"planning"}],"stop":"end_turn"}

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly", "entry": "never"}}
--- model
{"turns": [
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"text": "no such tool"}
]}
--- run cutonce --plain "a big task"
--- talk
< no such tool
< >
> /exit
--- exit 0
--- seen
request 1
  user: a big task
request 2
  assistant: call EnterPlanMode {}
  user: error: There is no tool `EnterPlanMode`. Tools: Agent, AskUserQuestion, Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, KillShell, LS, NotebookEdit, Read, SendMessage, TeamCreate, TeamDelete, TodoWrite, WebFetch, Write.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"text": "no such tool"}
]}
--- run cutonce -p "a big task"
--- exit 0
--- seen
request 1
  user: a big task
request 2
  assistant: call EnterPlanMode {}
  user: error: There is no tool `EnterPlanMode`. Tools: Agent, AskUserQuestion, Bash, BashOutput, Edit, ExitPlanMode, Glob, Grep, KillShell, LS, NotebookEdit, Read, SendMessage, TeamCreate, TeamDelete, TodoWrite, WebFetch, Write.

