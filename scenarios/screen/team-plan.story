A teammate's plan in front of the lead's user (UI-14, PM-134): the team is shown above the composer; the request opens like an own plan and names the
teammate; Esc closes it without an answer, Ctrl+P opens it again, and only the confirmed choice lets the teammate act.

--- model
{"turns": [
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n1. Write hello.txt\n"}},
     {"name": "ExitPlanMode", "input": {}}]},
  {"when": "You are `ann`", "calls": [
     {"name": "Write", "input": {"file_path": "$WS/hello.txt", "content": "Hello!\n"}},
     {"name": "SendMessage", "input": {"to": "team-lead", "text": "HELLO-DONE: hello.txt is there."}}]},
  {"when": "You are `ann`", "text": "Finished."},
  {"when": "HELLO-DONE", "text": "All done."},
  {"when": "Lead this.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [
     {"name": "ann", "task": "Write hello.txt.", "planModeRequired": true}]}}]},
  {"when": "Lead this.", "text": "Noted.", "repeat": 9}
]}
--- pty 80x24 cutonce --permission-mode acceptEdits
--- keys
< claude-
> Lead this.
press enter
< Plan of ann: Greeting
< esc answer later
--- shows
 Plan of ann: Greeting
 <plan>  a teammate's plan
── Greeting ─────────────────────────────────────────────────────── 1/3 · <n>% ──
›    1   Greeting
     2
     3   1. Write hello.txt













── This is the plan of your teammate ann. ──────────────── context <n>% · $<n> ──
 1 approve → accept edits                               5 request changes → plan
 2 approve → ask each edit   n note to the agent
                             c comment  e edit  d diff  esc answer later
 { } heading  [ ] change or comment  o outline  / find  y copy  ?

--- keys
press esc
< ann's plan is ready: ctrl+p opens it
< team red: ann waits for you
! test ! -e hello.txt
press ctrl+p
< esc answer later
! sleep 0.8 # a key that comes too early never chooses: keys count after 400 ms of quiet
press 1
< Approve the plan of ann
! sleep 0.1 # a digit and Enter that come together are a paste
press enter
< All done.
gone interrupt
! test "$(cat hello.txt)" = 'Hello!'
press ctrl+d
--- exit 0
