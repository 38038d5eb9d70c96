A plan survives compactions (PM-50): its text is given again as a plan_file_reference, and in plan mode the next plan reminder is a full one. MARKERWORD is only in the plan, and reaches the model after two compactions; the plan may be edited at once because it was shown (PM-44).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan with MARKERWORD\n"}}]},
  {"text": "written"},
  {"text": "summary one"},
  {"text": "after the first"},
  {"text": "summary two"},
  {"calls": [{"name": "Edit", "input": {"file_path": "{plan}", "old_string": "with", "new_string": "that still has"}}]},
  {"text": "after the second"},
  {"text": "summary three"},
  {"text": "after the third, out of plan mode"}
]}
--- run cutonce --plain --permission-mode plan
--- talk
< >
> write it
< written
< >
> /compact
< compacted
> next
< after the first
< >
> /compact
< compacted
> next
< after the second
< >
> /plan off
< Left plan mode
> /compact
< compacted
> outside
< out of plan mode
< >
> /exit
--- exit 0
--- seen
request 1
  user: write it
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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan with MARKERWORD\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
request 3
  assistant: written
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
request 4
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        summary one
        
        # The user's messages so far, oldest first
        <message>
        write it
        </message>
        # Files in work, latest first (read again before editing)
        - $HOME/.cutonce/plans/<slug>.md
  user: next
  user: <system-reminder>
        There is a plan for this session at $HOME/.cutonce/plans/<slug>.md. If you are working on it, continue with what is not done yet. Its text:
        
        # Plan with MARKERWORD
        </system-reminder>
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        A plan exists at $HOME/.cutonce/plans/<slug>.md. Read it and change it with the Edit tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 5
  assistant: after the first
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
request 6
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        summary two
        
        # The user's messages so far, oldest first
        <message>
        write it
        </message>
        <message>
        next
        </message>
        … 1 more lines
  user: next
  user: <system-reminder>
        There is a plan for this session at $HOME/.cutonce/plans/<slug>.md. If you are working on it, continue with what is not done yet. Its text:
        
        # Plan with MARKERWORD
        </system-reminder>
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        A plan exists at $HOME/.cutonce/plans/<slug>.md. Read it and change it with the Edit tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 7
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"with","new_string":"that still has"}
  user: result: Edited $HOME/.cutonce/plans/<slug>.md:
        1	# Plan that still has MARKERWORD
request 8
  assistant: after the second
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
request 9
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        summary three
        
        # The user's messages so far, oldest first
        <message>
        write it
        </message>
        <message>
        next
        </message>
        … 4 more lines
  user: outside
  user: <system-reminder>
        There is a plan for this session at $HOME/.cutonce/plans/<slug>.md. If you are working on it, continue with what is not done yet. Its text:
        
        # Plan that still has MARKERWORD
        </system-reminder>
  user: <system-reminder>
        Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it.
        </system-reminder>

