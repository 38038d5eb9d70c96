In the review, `r` rehearses the plan on a layer: the user sees each call and the result; calls outside the plan are denied (RH-1, RH-2). `a` removes
a file and applies the rest (RH-3). The model continues with that fact, and the changes belong to the approval's rewind point (RH-4).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo old > c.txt; git add . && git commit -qm first
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n2. Add b\n   - files: b.txt (new)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt; sed -i s/old/new/ c.txt"}},
             {"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}},
             {"name": "Write", "input": {"file_path": "d.txt", "content": "d\n"}}]},
  {"text": "rehearsed"},
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"text": "All done."}
]}
--- run cutonce --plain --permission-mode plan "change a"
--- talk
< answer
> r
< a applies exactly this
> a without nothing.txt
< did not change
> a without b.txt
< Press Enter
> y
< All done.
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  ## Steps
    4  
    5  1. Change a
    6     - files: a.txt (change)
    7     - check: grep two a.txt
    8  2. Add b
    9     - files: b.txt (new)

  1 file changes, 1 created, 0 deleted · 1 check · 2 steps approved

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  scope: commands can't change files outside the plan: they run on a layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
  s steps, s STEP park|drop|approve, m MODEL, f low|medium|high|max, b DOLLARS for the implementation
answer (a number, optionally with text): 
rehearsal r1 started with anthropic/claude-sonnet-5-5; x cancels it

rehearsal r1: Bash sed -i s/one/two/ a.txt; sed -i s/old/new/ c.txt

rehearsal r1: Write b.txt

rehearsal r1: Write d.txt

diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+b

Plan <slug> (revision 1)

checked  1. Change a
         files: 1 planned, changed a.txt
         check: grep two a.txt (exit 0, <time>)
changed  2. Add b
         files: 1 planned, changed b.txt

Denied writes outside the plan:
  c.txt
  d.txt
No drift: the implementation follows the plan.
denied: Write: d.txt
denied: Bash: c.txt

rehearsal r1: passed, checks 1/1, 2 files, +2 -1, 2 denied, $0.02
a applies exactly this, a without FILE takes files out, k NAME keeps it
answer: Not possible: the rehearsal did not change nothing.txt.
answer: Will approve rev 1 and apply exactly rehearsal r1, 1 of 2 files (diff f64f5a), without b.txt; its checks have not run on that. The mode becomes default.
Press Enter to confirm, or enter another choice.
answer: All done.

>

--- disk
changed a.txt
  two

--- transcript
session {"branch":"main","slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"change a"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n2. Add b\n   - files: b.txt (new)\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n2. Add b\n   - files: b.txt (new)\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (9 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"935ba6abffe9478939fc50035d52e2a7d05a5f4b99fbe37899e00ebc8fd7ab94","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n2. Add b\n   - files: b.txt (new)\n","sha256":"935ba6abffe9478939fc50035d52e2a7d05a5f4b99fbe37899e00ebc8fd7ab94"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"default","rehearsal":{"id":"r1","diffSha256":"f64f5a6da6735aa982ddc6c630483e138fcb8b5d34b4a542e9b20b56578a8224","without":["b.txt"],"withoutSteps":[]}}}
contract {"approved":{"slug":"<slug>","revision":1,"contract":{"sha256":"935ba6abffe9478939fc50035d52e2a7d05a5f4b99fbe37899e00ebc8fd7ab94","steps":[{"id":"1","title":"Change a","lines":[5,7],"files":[{"path":"a.txt","kind":"change"}],"checks":["grep two a.txt"],"after":[]},{"id":"2","title":"Add b","lines":[8,9],"files":[{"path":"b.txt","kind":"new"}],"checks":[],"after":[]}],"checks":[],"findings":[]},"stamp":{"a.txt":"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806","b.txt":null}},"scope":{"mode":"ask","files":["a.txt","b.txt"]}}
mode {"from":"plan","to":"default","by":"user"}
plan {"slug":"<slug>","revision":1,"sha256":"935ba6abffe9478939fc50035d52e2a7d05a5f4b99fbe37899e00ebc8fd7ab94","outcome":"approved"}
file_snapshot {"key":"before","path":"$WS/a.txt","sha256":"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"}
evidence {"evidence":{"kind":"wrote","path":"a.txt","before":"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806","after":"27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a"}}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n2. Add b\n   - files: b.txt (new)\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"935ba6abffe9478939fc50035d52e2a7d05a5f4b99fbe37899e00ebc8fd7ab94","steps":[{"id":"1","title":"Change a","lines":[5,7],"files":[{"path":"a.txt","kind":"change"}],"checks":["grep two a.txt"],"after":[]},{"id":"2","title":"Add b","lines":[8,9],"files":[{"path":"b.txt","kind":"new"}],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now default. The plan was carried out already: it was rehearsed on a copy of the workspace, the us…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Read","input":{"file_path":"a.txt"}}],"stop":"tool_use"}
tool {"callId":"toolu_0004_00","name":"Read","input":{"file_path":"a.txt"},"output":[{"type":"text","text":"1\ttwo"}],"isError":false,"decision":{"behavior":"allow","reason":"Reads are allowed in default mode"}}
assistant {"blocks":[{"type":"text","text":"All done."}],"stop":"end_turn"}

--- seen
request 1
  user: change a
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
request 3
  assistant: call Bash {"command":"sed -i s/one/two/ a.txt; sed -i s/old/new/ c.txt"}
  assistant: call Write {"file_path":"b.txt","content":"b\n"}
  assistant: call Write {"file_path":"d.txt","content":"d\n"}
  user: result: (no output)
        
        Outside the approved plan, so not applied: c.txt. Follow the plan, or amend it in plan mode: add the files to a step, and submit the plan again.
  user: result: Created b.txt (1 line).
  user: error: Write of d.txt is outside the approved plan, so it was not run. Follow the plan, or amend it in plan mode: add the file to a step, and submit the plan again.
request 4
request 5
  assistant: call Read {"file_path":"a.txt"}
  user: result: 1	two

