A rehearsal is bounded (RH-5): a program that fills the disk, one that starts processes without end, a huge file, a check that never ends, the budget and the number of requests. What stops a rehearsal or a check is named with the limit and its setting. Nothing is applied, and no layer is left.

--- file ~/.cutonce/settings.json
{"plan": {"rehearsal": {"maxMegabytes": 8}}, "sandbox": {"limits": {"processes": 200}}}
--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; git add . && git commit -qm first
--- file plan.md
# Plan

Change a.txt.
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt; head -c 64M /dev/zero > big.bin; until false; do sleep 1; done"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 5
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
diff --git a/big.bin b/big.bin
new file mode 100644
Binary files /dev/null and b/big.bin differ

2 files changed, +1 -1 (not applied: not all checks passed)

--- stderr
cutonce: the rehearsal failed: stopped: it wrote more than 8 MB (`plan.rehearsal.maxMegabytes`)
plan: plan.md
sha256: f0ef158285b33f0bbe9eb4e5aed023c44b271e8f5fe65abd36054048d752a749

--- disk
nothing changed

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt; while true; do sleep 1000 & done"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 5
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two

1 file changed, +1 -1 (not applied: not all checks passed)

--- stderr
cutonce: the rehearsal failed: stopped: a command reached its limit of 200 processes (`sandbox.limits.processes`)
plan: plan.md
sha256: f0ef158285b33f0bbe9eb4e5aed023c44b271e8f5fe65abd36054048d752a749

--- sh
if ls $LAYERS | grep -q layer-of; then echo "layers are left" > left.txt; fi
--- disk
nothing changed

--- file ~/.cutonce/settings.json
{"shell": {"timeoutMs": 1000}}
--- file plan.md
# Plan

## Steps

1. Change a
   - files: a.txt
   - check: `until false; do read -t 1 < /dev/zero; done`
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt"}}]},
  {"text": "done"},
  {"text": "still done"},
  {"text": "still done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 5
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two

Plan

failed   1. Change a
         files: 1 planned, changed a.txt
         check: until false; do read -t 1 < /dev/zero; done (stopped: it took longer than 1000 ms (`shell.timeoutMs`), <time>)

Failed steps:
  1. Change a

1 file changed, +1 -1 (not applied: not all checks passed)

--- stderr
plan: plan.md
sha256: 058f2f99c5e1a2605a7d59f220ce9c29e2084c58d763eaa33b5a46dcbb0c5602

--- sh
if ls $LAYERS | grep -q layer-of; then echo "layers are left" > left.txt; fi
--- disk
nothing changed

--- file ~/.cutonce/settings.json
{"sandbox": {"limits": {"fileMb": 1}}}
--- file plan.md
# Plan

Change a.txt.
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "exec head -c 2M /dev/zero > big.bin"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 5
--- stderr
cutonce: the rehearsal failed: stopped: a command reached its limit of 1 MB in one file (`sandbox.limits.fileMb`)
plan: plan.md
sha256: f0ef158285b33f0bbe9eb4e5aed023c44b271e8f5fe65abd36054048d752a749

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt"}}], "usage": {"input_tokens": 100000, "output_tokens": 1000}},
  {"calls": [{"name": "Bash", "input": {"command": "echo three > a.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply --max-budget-usd 0.015
--- exit 5
--- stderr
cutonce: the rehearsal failed: stopped: it used up its budget of $0.015 (`--max-budget-usd`)
plan: plan.md
sha256: f0ef158285b33f0bbe9eb4e5aed023c44b271e8f5fe65abd36054048d752a749

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo three > a.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply --max-turns 1
--- exit 5
--- stderr
cutonce: the rehearsal failed: stopped: it reached its limit of 1 request (`--max-turns`)
plan: plan.md
sha256: f0ef158285b33f0bbe9eb4e5aed023c44b271e8f5fe65abd36054048d752a749

--- disk
nothing changed
