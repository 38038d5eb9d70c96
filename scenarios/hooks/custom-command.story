A custom command is handled like every message (HO-7, UI-9): UserPromptSubmit hooks see its text and may block it or add to it. Its tools and model
apply only after the hooks accepted it.

--- file ~/.cutonce/settings.json
{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "told=$(cat); echo \"$told\" >> ~/prompts; case \"$told\" in *forbidden*) echo 'not that' >&2; exit 2;; esac; echo 'a hook was here'"}]}]}}
--- file ~/.cutonce/commands/make.md
---
description: Make a file.
allowed-tools: Write
---
Make the file $ARGUMENTS.
--- stdin
{"type":"user","message":{"role":"user","content":"/make a.txt"}}
{"type":"user","message":{"role":"user","content":"/make forbidden.txt"}}
--- model
{"turns": [
  {"when": "Make the file a.txt.", "calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "A\n"}}]},
  {"text": "made"}
]}
--- run cutonce -p --input-format stream-json --output-format stream-json --verbose
--- exit 0
--- stderr
cutonce: Not sent: a hook blocked your message: not that

--- seen
request 1
  user: Make the file a.txt.
  user: <system-reminder>
        From the user's UserPromptSubmit hook:
        a hook was here
        </system-reminder>
request 2
  assistant: call Write {"file_path":"a.txt","content":"A\n"}
  user: result: Created a.txt (1 line).

--- disk
created a.txt
  A

--- sh
grep -q '"prompt":"Make the file a.txt."' ~/prompts; grep -q '"prompt":"Make the file forbidden.txt."' ~/prompts; test ! -e forbidden.txt
