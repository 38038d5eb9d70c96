A teammate that must plan was killed so early that its transcript has no mode (PM-131, TM-2). After a restart it is in plan mode, with any rules that
its user gives, because no answer of the lead released it.

--- model
{"turns": [
  {"when": "Try it.", "calls": [{"name": "Write", "input": {"file_path": "$WS/early.txt", "content": "too early\n"}}]},
  {"when": "Try it.", "text": "It was tried.", "repeat": 3},
  {"when": "You are `ann`", "text": "Looking.", "repeat": 3},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true, "startedByUser": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- run cutonce -p --permission-mode acceptEdits --session-id 019a0000-0000-7000-8000-00000000eeee "Lead this."
--- exit 0
--- run cutonce --plain --team red --name ann
--- talk
< Looking.
! kill -9 $PID
--- sh
for file in ~/.cutonce/projects/*/*.jsonl; do
  case $file in *eeee.jsonl) ;; *) head -n 1 "$file" > ~/first && cat ~/first > "$file" ;; esac
done
--- run cutonce --plain --team red --name ann --allowedTools Write
--- talk
> Try it.
< It was tried.
> /exit
--- exit 0
--- disk
nothing changed
