A write outside the approved plan asks, in acceptEdits mode too, and an allow rule does not widen the scope (PC-20). The answer can add the file to the plan (PC-24): it is asked about once. Ignored files and lock files of planned manifests are never outside.

--- file .gitignore
build/
--- file package.json
{}
--- file .cutonce/settings.json
{"permissions": {"allow": ["Write", "Edit"]}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Add the page\n   - files: page.txt (new), package.json\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "page.txt", "content": "page\n"}},
             {"name": "Write", "input": {"file_path": "build/out.txt", "content": "out\n"}},
             {"name": "Write", "input": {"file_path": "package-lock.json", "content": "{}\n"}},
             {"name": "Write", "input": {"file_path": "style.css", "content": "a {}\n"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "style.css", "content": "b {}\n"}},
             {"name": "Write", "input": {"file_path": "other.txt", "content": "other\n"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "package.json"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "package.json", "content": "{\"a\": 1}\n"}}]},
  {"text": "done"}
]}
--- run cutonce --plain --permission-mode plan "add a page"
--- talk
< answer
> 1
< Press Enter
> y
< style.css
< answer
> 2
< other.txt
< answer
> n
< done
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
    5  1. Add the page
    6     - files: page.txt (new), package.json

  1 file changes, 1 created, 0 deleted · 0 checks · 1 step approved

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
answer (a number, optionally with text): Will approve rev 1 (sha c7776c) and continue in acceptEdits.
Press Enter to confirm, or enter another choice.
answer: 
? Write wants to create: outside the approved plan
  | --- /dev/null
  | +++ style.css
  | @@ -0,0 +1 @@
  | +a {}
  1 yes
  2 yes, and add style.css to the plan
  3 no (add text to tell the agent why)
answer: 
? Write wants to create: outside the approved plan
  | --- /dev/null
  | +++ other.txt
  | @@ -0,0 +1 @@
  | +other
  1 yes
  2 yes, and add other.txt to the plan
  3 no (add text to tell the agent why)
answer: done

>

--- stderr
cutonce: Ignored until you trust this folder: allow rules. Trust it with /trust or `cutonce trust`.
● Write $HOME/.cutonce/plans/<slug>.md
mode: acceptEdits
● Write page.txt
step 1: changed
● Write build/out.txt
● Write package-lock.json
● Write style.css
● Write style.css
✗ Write The user refused this Write call. Do not try it again; ask what to do instead.
● Read package.json
● Write package.json
Plan <slug> (revision 1)

changed  1. Add the page
         files: 2 planned, changed package.json, page.txt

Denied writes outside the plan:
  other.txt
No drift: the implementation follows the plan.

--- disk
created build/out.txt
  out
created package-lock.json
  {}
changed package.json
  {"a": 1}
created page.txt
  page
created style.css
  b {}

--- transcript
session {"slug":"<slug>"}
mode {"from":"default","to":"plan","by":"start"}
user {"text":"add a page"}
reminder {"kind":"plan_mode","form":"full","path":"$HOME/.cutonce/plans/<slug>.md","exists":false,"text":"Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The…"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Add the page\n   - files: page.txt (new), package.json\n"}},{"type":"tool_use","id":"toolu_0001_01","name":"ExitPlanMode","input":{}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$HOME/.cutonce/plans/<slug>.md"}
tool {"callId":"toolu_0001_00","name":"Write","input":{"file_path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Add the page\n   - files: page.txt (new), package.json\n"},"output":[{"type":"text","text":"Created $HOME/.cutonce/plans/<slug>.md (6 lines)."}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows edits of the plan file"}}
plan {"slug":"<slug>","revision":1,"sha256":"c7776c60bea7b207263de767fedf309fdd45c01fcd700c8ea8c824dc43d86a7f","outcome":"submitted"}
file_snapshot {"key":"plan","path":"$HOME/.cutonce/plans/<slug>.md","content":"# Plan\n\n## Steps\n\n1. Add the page\n   - files: page.txt (new), package.json\n","sha256":"c7776c60bea7b207263de767fedf309fdd45c01fcd700c8ea8c824dc43d86a7f"}
ask {"askId":"<id>","kind":"plan"}
ask {"askId":"<id>","kind":"plan","answer":{"kind":"plan","askId":"<id>","choice":"acceptEdits"}}
contract {"approved":{"slug":"<slug>","revision":1,"contract":{"sha256":"c7776c60bea7b207263de767fedf309fdd45c01fcd700c8ea8c824dc43d86a7f","steps":[{"id":"1","title":"Add the page","lines":[5,6],"files":[{"path":"page.txt","kind":"new"},{"path":"package.json","kind":"any"}],"checks":[],"after":[]}],"checks":[],"findings":[]},"stamp":{"package.json":"ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356","page.txt":null}},"scope":{"mode":"ask","files":["package.json","page.txt"]}}
mode {"from":"plan","to":"acceptEdits","by":"user"}
plan {"slug":"<slug>","revision":1,"sha256":"c7776c60bea7b207263de767fedf309fdd45c01fcd700c8ea8c824dc43d86a7f","outcome":"approved"}
tool {"callId":"toolu_0001_01","name":"ExitPlanMode","input":{"plan":"# Plan\n\n## Steps\n\n1. Add the page\n   - files: page.txt (new), package.json\n","planFilePath":"$HOME/.cutonce/plans/<slug>.md","contract":{"sha256":"c7776c60bea7b207263de767fedf309fdd45c01fcd700c8ea8c824dc43d86a7f","steps":[{"id":"1","title":"Add the page","lines":[5,6],"files":[{"path":"page.txt","kind":"new"},{"path":"package.json","kind":"any"}],"checks":[],"after":[]}],"checks":[],"findings":[]}},"output":[{"type":"text","text":"The user approved your plan and plan mode is off; the mode is now acceptEdits. Start implementing. Begin with the todo list.\nThe plan is saved at $HOME/.cutonce…"}],"isError":false,"decision":{"behavior":"allow","reason":"plan mode allows calls that only read"}}
reminder {"kind":"plan_mode_exit","path":"$HOME/.cutonce/plans/<slug>.md","exists":true,"text":"Plan mode is off: you can edit files and run tools again, as far as the mode allows. The plan is at $HOME/.cutonce/plans/<slug>.md, should you need it."}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Write","input":{"file_path":"page.txt","content":"page\n"}},{"type":"tool_use","id":"toolu_0002_01","name":"Write","input":{"file_path":"build/out.txt","content":"out\n"}},{"type":"tool_use","id":"toolu_0002_02","name":"Write","input":{"file_path":"package-lock.json","content":"{}\n"}},{"type":"tool_use","id":"toolu_0002_03","name":"Write","input":{"file_path":"style.css","content":"a {}\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/page.txt"}
evidence {"evidence":{"kind":"wrote","path":"page.txt","before":null,"after":"362a07bbb5c74b982bed644b9f7e298837d7a3a232c964d039bb7e49ebea825f"}}
tool {"callId":"toolu_0002_00","name":"Write","input":{"file_path":"page.txt","content":"page\n"},"output":[{"type":"text","text":"Created page.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
file_snapshot {"key":"before","path":"$WS/build/out.txt"}
evidence {"evidence":{"kind":"wrote","path":"build/out.txt","before":null,"after":"54034ac5c6e9ea95734ec2b729fd6d62abf64af34a9f9ce5d466cb788191a73d","exempt":true}}
tool {"callId":"toolu_0002_01","name":"Write","input":{"file_path":"build/out.txt","content":"out\n"},"output":[{"type":"text","text":"Created build/out.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
file_snapshot {"key":"before","path":"$WS/package-lock.json"}
evidence {"evidence":{"kind":"wrote","path":"package-lock.json","before":null,"after":"ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"}}
tool {"callId":"toolu_0002_02","name":"Write","input":{"file_path":"package-lock.json","content":"{}\n"},"output":[{"type":"text","text":"Created package-lock.json (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"allow","remember":[{"rule":"Plan(style.css)","where_to":"session"}]}}
scope {"scope":{"mode":"ask","files":["package.json","page.txt"],"added":["style.css"]}}
file_snapshot {"key":"before","path":"$WS/style.css"}
evidence {"evidence":{"kind":"wrote","path":"style.css","before":null,"after":"7df2d3ac857ea507c490dff0dd16dff64a2af0cd694613bc30a1800c12e1b118"}}
tool {"callId":"toolu_0002_03","name":"Write","input":{"file_path":"style.css","content":"a {}\n"},"output":[{"type":"text","text":"Created style.css (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"the user allowed it"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Write","input":{"file_path":"style.css","content":"b {}\n"}},{"type":"tool_use","id":"toolu_0003_01","name":"Write","input":{"file_path":"other.txt","content":"other\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/style.css","sha256":"7df2d3ac857ea507c490dff0dd16dff64a2af0cd694613bc30a1800c12e1b118"}
evidence {"evidence":{"kind":"wrote","path":"style.css","before":"7df2d3ac857ea507c490dff0dd16dff64a2af0cd694613bc30a1800c12e1b118","after":"aef72dbbc44d4c3d5247d3f2db8b1b2ed59255c3ebe0a6488ed691429e600adf"}}
tool {"callId":"toolu_0003_00","name":"Write","input":{"file_path":"style.css","content":"b {}\n"},"output":[{"type":"text","text":"Wrote style.css (1 line, +1 −1)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"deny","message":"","interrupt":false}}
evidence {"evidence":{"kind":"denied","path":"other.txt"}}
tool {"callId":"toolu_0003_01","name":"Write","input":{"file_path":"other.txt","content":"other\n"},"output":[{"type":"text","text":"The user refused this Write call. Do not try it again; ask what to do instead."}],"isError":true,"decision":{"behavior":"deny","reason":"the user refused it"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Read","input":{"file_path":"package.json"}}],"stop":"tool_use"}
tool {"callId":"toolu_0004_00","name":"Read","input":{"file_path":"package.json"},"output":[{"type":"text","text":"1\t{}"}],"isError":false,"decision":{"behavior":"allow","reason":"Reads are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0005_00","name":"Write","input":{"file_path":"package.json","content":"{\"a\": 1}\n"}}],"stop":"tool_use"}
file_snapshot {"key":"before","path":"$WS/package.json","sha256":"ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"}
evidence {"evidence":{"kind":"wrote","path":"package.json","before":"ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356","after":"e8c628edc9968ef0c668f54e0ba2636b35503357eb1aca0ddc828aeace432f67"}}
tool {"callId":"toolu_0005_00","name":"Write","input":{"file_path":"package.json","content":"{\"a\": 1}\n"},"output":[{"type":"text","text":"Wrote package.json (1 line, +1 −1)."}],"isError":false,"decision":{"behavior":"allow","reason":"Edits are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"done"}],"stop":"end_turn"}
contract {"approved":null}

