The plan is part of the session's record (PM-47): it is in the transcript at the end of a turn, once per text. After a resume the mode, the flags and
the name are restored, and so is a missing file (PM-12, PM-48). A fork gets its own name and copy; the original is unchanged (PM-49).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- env VISUAL=/bin/true
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan one\n"}}]},
  {"text": "written"},
  {"text": "nothing new"},
  {"text": "resumed"},
  {"calls": [{"name": "Edit", "input": {"file_path": "{plan}", "old_string": "one", "new_string": "of the fork"}}]},
  {"text": "forked"}
]}
--- run cutonce --plain --permission-mode plan
--- talk
< >
> write it
< written
< >
> go on
< nothing new
< >
> /exit
--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"write it"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
assistant {"blocks":[{"type":"text","text":"written"}],"stop":"end_turn"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n","sha256":"aada2718a841376df765456ff5fa09ded87f5a243dff25d4f51560d6c7f4a78d"}
user {"text":"go on"}
assistant {"blocks":[{"type":"text","text":"nothing new"}],"stop":"end_turn"}

--- sh
rm $PLAN
--- run cutonce --plain --continue
--- talk
< >
> /mode
< The mode is plan
> still there?
< resumed
< >
> /plan
< Current Plan
< >
> /exit
--- exit 0
--- stdout

> 
> resumed

> Current Plan
$HOME/.cutonce/plans/<slug>.md

# Plan one


"/plan open" edits this plan in true

>

--- stderr
cutonce: The plan file was missing and has been restored from its last snapshot in the transcript.
The mode is plan. Others: default, acceptEdits.

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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n"}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (1 line).
request 3
  assistant: written
  user: go on
request 4
  assistant: nothing new
  user: still there?

--- run cutonce --plain --continue --fork-session
--- talk
< >
> in the fork
< forked
< >
> /plan
< Current Plan
< >
> /exit
--- exit 0
--- stdout

> forked

> Current Plan
$HOME/.cutonce/plans/<slug 2>.md

# Plan of the fork


"/plan open" edits this plan in true

>

--- stderr
● Edit $HOME/.cutonce/plans/<slug 2>.md

--- seen
request 5
  assistant: resumed
  user: in the fork
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        A plan exists at $HOME/.cutonce/plans/<slug 2>.md. Read it and change it with the Edit tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 6
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug 2>.md","old_string":"one","new_string":"of the fork"}
  user: result: Edited $HOME/.cutonce/plans/<slug 2>.md:
        1	# Plan of the fork

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"write it"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
assistant {"blocks":[{"type":"text","text":"written"}],"stop":"end_turn"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n","sha256":"aada2718a841376df765456ff5fa09ded87f5a243dff25d4f51560d6c7f4a78d"}
user {"text":"go on"}
assistant {"blocks":[{"type":"text","text":"nothing new"}],"stop":"end_turn"}
session {"slug":"<slug>"}
user {"text":"still there?"}
assistant {"blocks":[{"type":"text","text":"resumed"}],"stop":"end_turn"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan one\n","sha256":"aada2718a841376df765456ff5fa09ded87f5a243dff25d4f51560d6c7f4a78d"}
session {"slug":"<slug 2>","forkedFrom":"<id>"}
user {"text":"in the fork"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug 2>.md","exists":true,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0005_00","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug 2>.md","old_string":"one","new_string":"of the fork"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug 2>.md","sha256":"aada2718a841376df765456ff5fa09ded87f5a243dff25d4f51560d6c7f4a78d"}
tool {"callId":"toolu_0005_00","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug 2>.md","old_string":"one","new_string":"of the fork"},"output":[{"type":"text","text":"Edited $HOME/.cutonce/plans/<slug 2>.md:\n1\t# Plan of the fork"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
assistant {"blocks":[{"type":"text","text":"forked"}],"stop":"end_turn"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug 2>.md","content":"# Plan of the fork\n","sha256":"6616373b2b164b747fa3797fef34a60fc346621cfebf44d6296c0b47ddaca546"}

--- run cutonce plans list --json
--- stdout
{"slug":"<slug 2>","title":"Plan of the fork","status":"draft","revision":0,"approved":null,"sha256":"6616373b2b164b747fa3797fef34a60fc346621cfebf44d6296c0b47ddaca546","time":"<time>","project":"$WS","session":"<id>","path":"$HOME/.cutonce/plans/<slug 2>.md","exists":true,"unreadable":null}
{"slug":"<slug>","title":"Plan one","status":"draft","revision":0,"approved":null,"sha256":"aada2718a841376df765456ff5fa09ded87f5a243dff25d4f51560d6c7f4a78d","time":"<time>","project":"$WS","session":"<id>","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"unreadable":null}

--- sh
test "$(cat $HOME/.cutonce/plans/*.md | sort | tr '\n' '|')" = "# Plan of the fork|# Plan one|"
