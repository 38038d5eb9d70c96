AGENTS.md and CLAUDE.md of user and project are given as project instructions, imports included, nested ones when a file there is read (CL-5).

--- file AGENTS.md
Use tabs. See @docs/style.md
--- file docs/style.md
No comments without a reason.
--- file ~/.cutonce/AGENTS.md
Answer in English.
--- file sub/CLAUDE.md
In this folder: be careful.
--- file sub/a.txt
one
--- model
{"turns": [{"calls": [{"name": "Read", "input": {"file_path": "sub/a.txt"}}]}, {"text": "ok"}]}
--- run cutonce -p "go"
--- seen
request 1
  user: go
request 2
  assistant: call Read {"file_path":"sub/a.txt"}
  user: result: 1	one
  user: <system-reminder>
        Instructions for this folder, from $WS/sub/CLAUDE.md:
        In this folder: be careful.
        </system-reminder>

