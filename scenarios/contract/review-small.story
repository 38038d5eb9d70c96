The contract on a screen of 40x15 (PC-10, PC-11): one short line, and the steps on the whole screen.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n## Steps\n\n1. Write the greeting\n   - files: hello.txt (new)\n   - check: `test -f hello.txt`\n2. Mention it elsewhere\n   - files: other.txt (new)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Stopped."}
]}
--- pty 40x15 cutonce --permission-mode plan
--- keys
< plan mode on
> greet
press enter
< approve → accept edits
gone keys choose in a moment
--- shows
 Plan rev 1: Greeting
 ~0 +2 -0 · 1 check · 2/2 steps
── Greeting ─────────────── 1/9 · <n>% ──
›    1   Greeting
     2
     3   Steps
     4
── 0 files changed ─────── context <n>% ──
 1 approve → accept edits
 2 approve → ask each edit
 4 [ ] clear context first
 5 request changes → plan
 6 exit plan mode → default
 esc decide later · ? all keys
 r rehearse  s steps  m model  b budget

--- keys
press s p
< parked
< a approve
--- shows
 Plan rev 1: Greeting
 ~0 +1 -0 · 0 checks · 1/2 steps
── Greeting ─────────────── 1/9 · <n>% ──
› [p] 1. Write the greeting  parked
      files: hello.txt (new)
      check: test -f hello.txt
  [x] 2. Mention it elsewhere
      files: other.txt (new)





────────────────────────────────────────
 a approve p park x drop esc back

--- keys
press esc
gone a approve
press f
< a digit chooses
--- shows
 Plan rev 1: Greeting
 ~0 +1 -0 · 0 checks · 1/2 steps
── Greeting ─────────────── 1/9 · <n>% ──
 Effort of the implementation
›1 as now
 2 low
 3 medium
 4 high
 5 max




────────────────────────────────────────
 a digit chooses · esc back

--- keys
press esc
gone a digit chooses
press esc
< plan is ready
press ctrl+d
--- exit 0
