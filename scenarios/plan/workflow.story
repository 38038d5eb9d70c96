The planning instructions: `plan.workflow: "interview"` replaces the phases, and CUTONCE_PLAN_INTERVIEW overrides the setting (PM-97). `plan.length`
changes what phase four asks for (PM-98). The numbers of agents come from the environment, then from the settings; an invalid variable is ignored with
one warning (PM-99). The description of EnterPlanMode has two variants (PM-34).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly", "workflow": "interview"}}
--- model
{"turns": [{"calls": [{"name": "EnterPlanMode", "input": {}}]}, {"text": "ok"}]}
--- run cutonce --plain "task"
--- talk
< ok
< >
> /exit
--- seen
request 1
  user: task
request 2
  assistant: call EnterPlanMode {}
  user: result: Plan mode is on. Edit nothing but the plan file. Detailed instructions follow. Finish with ExitPlanMode.
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow: plan together with the user
        Scan a few files, just enough for a first picture. Write a skeleton of the plan at once: headings and what you know. Then ask your first questions early, with AskUserQuestion.
        Repeat until nothing is open:
        1. Explore what the last answers made relevant. Look for code that can be reused.
        2. Update the plan file right away; do not keep findings for later.
        3. Ask what only the user can decide: requirements, preferences, trade-offs, edge cases. Never ask what the code can tell you. Put related questions into one call.
        The plan is done when it leaves nothing open. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan. Then call ExitPlanMode.
        … 3 more lines

--- env CUTONCE_PLAN_INTERVIEW=off
--- env CUTONCE_PLAN_EXPLORE_AGENTS=many
--- env CUTONCE_PLAN_AGENTS=2
--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly", "workflow": "interview", "length": "cap", "exploreAgents": 5}}
--- model
{"turns": [{"text": "ok"}]}
--- run cutonce plan "task"
--- exit 1
--- stderr
cutonce: CUTONCE_PLAN_EXPLORE_AGENTS: expected a number from 1 to 10, got `many`; using 5.
cutonce: No plan was written ($HOME/.cutonce/plans/<slug 2>.md).

--- seen whole
request 1
  user: task
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug 2>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 5 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have a Plan agent work out the approach: one by default, at most 2 where different views are worth comparing. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Decide what is still open yourself, and name it in the plan as an assumption.
        4. Write the plan. At most 40 lines: why, in one line; the one recommended way in ordered steps; a line for each file to change; what to reuse and where it is; risks; how to verify it end to end. If it gets longer, cut prose, never files or steps. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        ## How a turn ends
        Your turn ends only with ExitPlanMode. Research questions that need no plan are the exception: just answer them. Never ask for approval in your text: ExitPlanMode does exactly that.
        </system-reminder>

