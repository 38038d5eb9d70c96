The model switches with the very next request, also if both models think and a tool loop is open (PM-112): after an approval the main model continues, and when the model itself enters plan mode, the plan model does. A message ends the tool loop, because providers accept no other model inside it.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "thinking": {"budget": 2000}, "model": {"main": "claude-sonnet-4-5", "plan": "claude-opus-4-1"}}
--- model
{"turns": [
  {"thinking": "Big.", "calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"thinking": "Write it.", "calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n"}}]},
  {"thinking": "Submit it.", "calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"thinking": "Do it.", "calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}}]},
  {"text": "done"}
]}
--- run cutonce --plain "a big task"
--- talk
< answer
> 1
< Press Enter to confirm
< answer:
> y
< done
< >
> /exit
--- exit 0
--- transcript models
claude-sonnet-4-5 [{"type":"thinking","text":"Big.","opaque":{"wire":"anthropic","value":{"type":"thinking","signature":"seal_0001_00"}}},{"type":"tool_use","id":"toolu_0001_01","name":"EnterPlanMode","input":{}}]
claude-opus-4-1 [{"type":"thinking","text":"Write it.","opaque":{"wire":"anthropic","value":{"type":"thinking","signature":"seal_0002_00"}}},{"type":"tool_use","id":"toolu_0002_01","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}}]
claude-opus-4-1 [{"type":"thinking","text":"Submit it.","opaque":{"wire":"anthropic","value":{"type":"thinking","signature":"seal_0003_00"}}},{"type":"tool_use","id":"toolu_0003_01","name":"ExitPlanMode","input":{}}]
claude-sonnet-4-5 [{"type":"thinking","text":"Do it.","opaque":{"wire":"anthropic","value":{"type":"thinking","signature":"seal_0004_00"}}},{"type":"tool_use","id":"toolu_0004_01","name":"Write","input":{"file_path":"b.txt","content":"b\n"}}]
claude-sonnet-4-5 [{"type":"text","text":"done"}]

--- seen
request 1
  user: a big task
request 2
  assistant: (thinking) Big.
  assistant: call EnterPlanMode {}
  user: result: Plan mode is on. Explore the code and design the approach; edit nothing yet. Finish with ExitPlanMode, which asks the user to approve the plan. Detailed instructions follow.
  user: The mode is now plan, and another model took over here: you. Continue with the task above.
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
request 3
  assistant: (thinking) Write it.
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
request 4
  assistant: (thinking) Submit it.
  assistant: call ExitPlanMode {}
  user: result: The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.
        The plan is saved at $HOME/.cutonce/plans/<slug>.md; look there whenever you need it. If you must deviate from it, say so.
        Parts that do not depend on each other can run in parallel with the Agent tool.
        
        ## Approved Plan:
        # Plan
  user: The mode is now acceptEdits, and another model took over here: you. Continue with the task above.
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>
request 5
  assistant: (thinking) Do it.
  assistant: call Write {"file_path":"b.txt","content":"b\n"}
  user: result: Created b.txt (1 line).

--- disk
created b.txt
  b

