Kept planning (PM-79): the mode stays, the model gets the feedback and every line comment with its line; the next submission shows what changed since (PM-46, PM-74). The same plan again, right after it was rejected, ends the turn with a notice (PM-86); after a word of the user it may be submitted once more.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "early\n"}},
             {"name": "Edit", "input": {"file_path": "{plan}", "old_string": "1. Guess", "new_string": "1. Measure\n2. Decide"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "never asked for"}
]}
--- run cutonce --plain --permission-mode plan "task"
--- talk
< answer
> c 3 measure instead
< 1 comment is sent
< answer:
> 5 do not guess
< Press Enter to confirm
< answer:
> y
< answer
> d
< answer
> 5
< Press Enter to confirm
< answer:
> y
< >
> try once more
< answer
> 6
< Press Enter to confirm
< answer:
> y
< >
> /mode
< The mode is default
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Guess

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
answer (a number, optionally with text): 1 comment is sent with your choice.
answer: Will approve nothing and keep planning; your text: do not guess; 1 comment.
Press Enter to confirm, or enter another choice.
answer: 
? Exit plan mode?
  plan rev 2 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Measure
    4  2. Decide

  0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, d diff to the last submission, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text):   | @@ -1,3 +1,4 @@
  |  # Plan
  |
  | -1. Guess
  | +1. Measure
  | +2. Decide
answer: Will approve nothing and keep planning.
Press Enter to confirm, or enter another choice.
answer: 
> 
? Exit plan mode?
  plan rev 2 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  1. Measure
    4  2. Decide

  0 files change, 0 created, 0 deleted · 0 checks · 2 steps approved

  shell: only commands that parse as read-only ran, in the read-only sandbox
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, d diff to the last submission, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): Will exit plan mode and keep the plan; starts nothing; the mode becomes default.
Press Enter to confirm, or enter another choice.
answer: 
> 
>

--- stderr
● Write $HOME/.cutonce/plans/<slug>.md
✗ Write Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
● Edit $HOME/.cutonce/plans/<slug>.md
✗ Submit the plan: Exactly this plan was just rejected, so no approval was requested and the turn ends. Plan mode is still on. Revise the plan before you submit it again.
warning: The model submitted the plan again without changing it after it was sent back. Tell it what to change.
mode: default
The mode is default. Others: acceptEdits, plan.

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
  assistant: call Write {"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n"}
  assistant: call ExitPlanMode {}
  user: result: Created $HOME/.cutonce/plans/<slug>.md (3 lines).
  user: error: The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.
        
        Feedback from the user:
        do not guess
        
        Comments from the user on lines of the plan:
        - line 3: `1. Guess`
          measure instead
        
        Revise the plan at $HOME/.cutonce/plans/<slug>.md accordingly, then submit it again with ExitPlanMode.
request 3
  assistant: call Write {"file_path":"a.txt","content":"early\n"}
  assistant: call Edit {"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"1. Guess","new_string":"1. Measure\n2. Decide"}
  assistant: call ExitPlanMode {}
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.
  user: result: Edited $HOME/.cutonce/plans/<slug>.md:
        1	# Plan
        2	
        3	1. Measure
        4	2. Decide
  user: error: The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.
        
        The user gave no reason; ask with AskUserQuestion if it is not clear.
        
        Revise the plan at $HOME/.cutonce/plans/<slug>.md accordingly, then submit it again with ExitPlanMode.
request 4
  assistant: call ExitPlanMode {}
  user: error: Exactly this plan was just rejected, so no approval was requested and the turn ends. Plan mode is still on. Revise the plan before you submit it again.
  user: try once more

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Guess\n","sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"keepPlanning","feedback":"do not guess","comments":[{"line":3,"text":"measure instead"}]}}
plan {"slug":"<slug>","revision":1,"sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e","outcome":"rejected"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Guess\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e","steps":[{"id":"1","title":"Guess","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.\n\nFeedback from the user:\ndo not guess…"}],"isError":true,"decision":{"behavior":"deny","reason":"the user keeps planning"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Write","input":{"file_path":"a.txt","content":"early\n"}},{"type":"tool_use","id":"toolu_0002_01","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"1. Guess","new_string":"1. Measure\n2. Decide"}},{"type":"tool_use","id":"toolu_0002_02","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Write","input":{"file_path":"a.txt","content":"early\n"},"output":[{"type":"text","text":"Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead."}],"isError":true,"decision":{"behavior":"deny","reason":"plan mode is read-only"}}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md","sha256":"ff280a78c2308016e7db5b547b2e40f4b1175866cc3b921f661485ae9872b91e"}
tool {"callId":"toolu_0002_01","name":"Edit","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","old_string":"1. Guess","new_string":"1. Measure\n2. Decide"},"output":[{"type":"text","text":"Edited $HOME/.cutonce/plans/<slug>.md:\n1\t# Plan\n2\t\n3\t1. Measure\n4\t2. Decide"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":2,"sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Measure\n2. Decide\n","sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"keepPlanning"}}
plan {"slug":"<slug>","revision":2,"sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1","outcome":"rejected"}
tool {"callId":"toolu_0002_02","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Measure\n2. Decide\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1","steps":[{"id":"1","title":"Measure","lines":[3,3],"files":[],"checks":[],"after":[]},{"id":"2","title":"Decide","lines":[4,4],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user did not approve the plan and wants you to keep planning. Plan mode is still on: change nothing but the plan file.\n\nThe user gave no reason; ask with As…"}],"isError":true,"decision":{"behavior":"deny","reason":"the user keeps planning"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
tool {"callId":"toolu_0003_00","name":"ExitPlanMode","input":{},"output":[{"type":"text","text":"Exactly this plan was just rejected, so no approval was requested and the turn ends. Plan mode is still on. Revise the plan before you submit it again."}],"isError":true,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
user {"text":"try once more"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
plan {"slug":"<slug>","revision":2,"sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1","outcome":"submitted"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"leave"}}
plan {"slug":"<slug>","revision":2,"sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1","outcome":"left"}
mode {"from":"plan","to":"default","by":"user"}
tool {"callId":"toolu_0004_00","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Measure\n2. Decide\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1","steps":[{"id":"1","title":"Measure","lines":[3,3],"files":[],"checks":[],"after":[]},{"id":"2","title":"Decide","lines":[4,4],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user left plan mode without approving and kept the plan at $HOME/.cutonce/plans/<slug>.md. Do not implement it. Wait for the user's next message."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}

--- disk
nothing changed

--- run cutonce plans list --json
--- stdout
{"slug":"<slug>","title":"Plan","status":"left","revision":2,"approved":null,"sha256":"503b2dd376c00e330f287c1e1c1fbecfd2746abf37c19c871aee7ad28b603ca1","time":"<time>","project":"$WS","session":"<id>","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"unreadable":null}

--- run cutonce plans diff $SLUG 1 2
--- stdout
--- <slug> revision 1
+++ <slug> revision 2
@@ -1,3 +1,4 @@
 # Plan
 
-1. Guess
+1. Measure
+2. Decide

