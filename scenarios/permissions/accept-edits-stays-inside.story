In acceptEdits mode, headless, plain file commands run only if they can't lead outside the workspace (PR-4, PR-6). Denied: moving a link or a folder,
a path with `..` after a link, creating a repository from plain files. Moving and copying files runs.

--- sh
mkdir ../outside && echo TOPSECRET > ../outside/secret.txt
mkdir -p a/b sub/deep c/d && ln -s ../.. a/b/up && ln -s sub/deep e && echo hello > a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "mv a/b/up q && cat q/outside/secret.txt", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "(sleep 1; echo pwned > q/outside/new) & mv a/b/up q; wait", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cd c/d && mv ../../c/d ../../q && cat ../../outside/secret.txt", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "rm e; mkdir e; cat e/../../outside/secret.txt", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "mkdir -p objects refs; echo 'ref: refs/heads/main' > HEAD; printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=.\\nfsmonitor=touch evil; false\\n' > config; git status", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "touch b.txt && mv a.txt c.txt && cp c.txt d.txt && cat c.txt", "description": "probe"}}]},
  {"text": "Done."}
]}
--- run cutonce -p --permission-mode acceptEdits "look around"
--- exit 0
--- disk
deleted a.txt
created b.txt
created c.txt
  hello
created d.txt
  hello

--- transcript
session {}
mode {"from":"default","to":"acceptEdits","by":"start"}
user {"text":"look around"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"mv a/b/up q && cat q/outside/secret.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"mv a/b/up q && cat q/outside/secret.txt","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in acceptEdits mode (`mv a/b/up q` moves a folder or a link); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"(sleep 1; echo pwned > q/outside/new) & mv a/b/up q; wait","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"(sleep 1; echo pwned > q/outside/new) & mv a/b/up q; wait","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Edits outside the workspace need your OK in acceptEdits mode (writes q/outside/new); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Bash","input":{"command":"cd c/d && mv ../../c/d ../../q && cat ../../outside/secret.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0003_00","name":"Bash","input":{"command":"cd c/d && mv ../../c/d ../../q && cat ../../outside/secret.txt","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in acceptEdits mode (`mv ../../c/d ../../q` moves a folder or a link); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Bash","input":{"command":"rm e; mkdir e; cat e/../../outside/secret.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0004_00","name":"Bash","input":{"command":"rm e; mkdir e; cat e/../../outside/secret.txt","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may read outside the workspace need your OK in acceptEdits mode (`cat e/../../outside/secret.txt`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0005_00","name":"Bash","input":{"command":"mkdir -p objects refs; echo 'ref: refs/heads/main' > HEAD; printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=.\\nfsmonitor=touch evil; false\\n' > c…","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0005_00","name":"Bash","input":{"command":"mkdir -p objects refs; echo 'ref: refs/heads/main' > HEAD; printf '[core]\\nrepositoryformatversion=0\\nbare=false\\nworktree=.\\nfsmonitor=touch evil; false\\n' > c…","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in acceptEdits mode (`git status`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0006_00","name":"Bash","input":{"command":"touch b.txt && mv a.txt c.txt && cp c.txt d.txt && cat c.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0006_00","name":"Bash","input":{"command":"touch b.txt && mv a.txt c.txt && cp c.txt d.txt && cat c.txt","description":"probe"},"output":[{"type":"text","text":"hello"}],"isError":false,"decision":{"behavior":"allow","reason":"Read-only commands are allowed in acceptEdits mode"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

