A rehearsal that takes longer than `plan.rehearsal.maxMinutes` is stopped, with a message that names the setting (RH-5). Nothing is applied.

--- file ~/.cutonce/settings.json
{"plan": {"rehearsal": {"maxMinutes": 0, "layer": "auto"}}}
--- file plan.md
# Plan

Change a.txt.
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "until false; do read -t 1 < /dev/zero; done"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 5
--- stdout

0 files changed, +0 -0 (not applied: not all checks passed)

--- stderr
cutonce: the rehearsal failed: stopped: it took more than 0 minutes (`plan.rehearsal.maxMinutes`)
plan: plan.md
sha256: f0ef158285b33f0bbe9eb4e5aed023c44b271e8f5fe65abd36054048d752a749

--- disk
nothing changed
