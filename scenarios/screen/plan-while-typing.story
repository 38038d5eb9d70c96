A plan never opens over a draft (UI-6, PM-88): a line says that it waits and which key opens it; one bell rings. Esc goes back to planning: the turn ends, the draft is still there, nothing is approved (PM-80). In a window of 40 columns the choices stack.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"delay_ms": 30, "text": "Some words first.", "calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "never asked for"}
]}
--- pty 40x15 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> count the users
press enter
< esc to interrupt
> half a thought
< A plan is ready
press ctrl+p
< Guess
< approve
--- shows
 Plan rev 1: Count
 ~0 +0 -0 · 0 checks · 1/1 steps
── Count ────────────────── 1/3 · <n>% ──
›    1   Count
     2
     3   1. Guess

── 0 files changed ─────── context <n>% ──
 1 approve → accept edits
 2 approve → ask each edit
 4 [ ] clear context first
 5 request changes → plan
 6 exit plan mode → default
 esc decide later · ? all keys
 r rehearse  s steps  m model  b budget

--- keys
press esc
< Plan waits
< half a thought
press ctrl+c ctrl+c
--- exit 0
--- disk
nothing changed

