Without an approver a run ends at the submission, with the plan as the result, exit code 0, still in plan mode, to be implemented later (PM-76). `cutonce plan` prints it, json gives plan, path, slug, sha256 and session_id. `cutonce implement` starts a fresh conversation from exactly that text and `--sha256` refuses any other.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Write b\n"}}, {"name": "ExitPlanMode", "input": {}},
             {"name": "Write", "input": {"file_path": "never.txt", "content": "after the submission\n"}}]},
  {"text": "never asked for"}
]}
--- run cutonce plan "task"
--- exit 0
--- stdout
# Plan

1. Write b

--- stderr
plan: <slug>
path: $HOME/.cutonce/plans/<slug>.md
sha256: 3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503
next: cutonce implement <slug>

--- disk
nothing changed

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"task"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}},{"type":"tool_use","id":"toolu_0001_02","name":"Write","input":{"file_path":"never.txt","content":"after the submission\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (3 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n1. Write b\n","sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503"}
ask {"askId":"<id>","kind":"plan"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n1. Write b\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","steps":[{"id":"1","title":"Write b","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"No user can approve a plan here, so plan mode stays on. The plan is saved at $HOME/.cutonce/plans/<slug>.md. Finish your answer without changing anything; the u…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
tool {"callId":"toolu_0001_02","name":"Write","input":{"file_path":"never.txt","content":"after the submission\n"},"output":[{"type":"text","text":"Not run: the turn was ended before this call."}],"isError":true,"decision":{"behavior":"deny","reason":"the turn ended before it"}}

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
        3. Review. Read the key files yourself. Check the design against the request. Decide what is still open yourself, and name it in the plan as an assumption.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines

--- run cutonce plans list --json
--- stdout
{"slug":"<slug>","title":"Plan","status":"submitted","revision":1,"approved":null,"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","time":"<time>","project":"$WS","session":"<id>","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"unreadable":null}

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}}]},
  {"text": "implemented"}
]}
--- run cutonce implement $SLUG --sha256 0000
--- exit 1
--- stdout
--- stderr
cutonce: the plan $HOME/.cutonce/plans/<slug>.md differs from the approved one: its SHA-256 is 3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503, expected 0000; inspect it with `cutonce plans show`

--- run cutonce implement $SLUG --permission-mode acceptEdits
--- exit 0
--- stdout
implemented

--- stderr
Plan <slug> (revision 1)

open     1. Write b
         nothing to observe: no files, no checks

No drift was seen, but no step names files or checks.

--- disk
created b.txt
  b

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $HOME/.cutonce/plans/<slug>.md. If you must deviate from it, say so.
        
        # Plan
        
        1. Write b
request 2
  assistant: call Write {"file_path":"b.txt","content":"b\n"}
  user: result: Created b.txt (1 line).

--- transcript
session {}
mode {"from":"default","to":"acceptEdits","by":"start"}
contract {"approved":{"slug":"<slug>","revision":1,"contract":{"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","steps":[{"id":"1","title":"Write b","lines":[3,3],"files":[],"checks":[],"after":[]}],"checks":[],"findings":[]}}}
user {"text":"Implement this plan. The user approved it, and it is saved at $HOME/.cutonce/plans/<slug>.md. If you must deviate from it, say so.\n\n# Plan\n\n1. Write b\n","meta":true,"planContent":"# Plan\n\n1. Write b\n"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"b.txt","content":"b\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/b.txt"}
evidence {"evidence":{"kind":"wrote","path":"b.txt","before":null,"after":"0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f"}}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"b.txt","content":"b\n"},"output":[{"type":"text","text":"Created b.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"implemented"}],"stop":"end_turn"}
contract {"approved":null}

--- run cutonce plans list --json
--- stdout
{"slug":"<slug>","title":"Plan","status":"approved","revision":1,"approved":1,"sha256":"3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503","time":"<time>","project":"$WS","session":"<id>","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"unreadable":null}

--- run cutonce implement no-such-plan
--- exit 1
--- stderr
cutonce: no-such-plan is neither a plan (see `cutonce plans list`) nor a readable file: No such file or directory

--- run cutonce implement
--- exit 2
--- stderr
cutonce: no plan given: pass a plan name or a file; `cutonce plans list` lists the plans

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Second\n"}}, {"name": "ExitPlanMode", "input": {}}]}
]}
--- run cutonce -p "task" --permission-mode plan --output-format json
--- exit 0
--- frames
{"type":"result","subtype":"success","is_error":false,"result":"# Second\n","num_turns":3,"stop_reason":"tool_use","permission_denials":[],"terminal_reason":"completed","plan":"# Second\n","path":"$HOME/.cutonce/plans/<slug 2>.md","slug":"<slug 2>","sha256":"797e649f79050c5aae111c0f55d82376a57d7b3a227af67be93c3158c2e1999f","message":null,"event":{"message":null}}

--- file mine.md
# My own plan
--- model
{"turns": [{"text": "implemented yours"}]}
--- run cutonce implement mine.md -p
--- exit 0
--- stdout
implemented yours

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/mine.md. If you must deviate from it, say so.
        
        # My own plan

