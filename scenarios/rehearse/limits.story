A rehearsal is bounded (RH-5): a program that fills the disk, one that starts processes without end, and a check that never ends are stopped, and the user sees it. Nothing is applied, and no layer is left.

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
denied: layer: the rehearsal was stopped: it wrote more than 8 MB (`plan.rehearsal.maxMegabytes`)

2 files changed, +1 -1 (not applied: not all checks passed)

--- stderr
cutonce: the rehearsal failed: the rehearsal was stopped: it wrote more than 8 MB (`plan.rehearsal.maxMegabytes`)
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
denied: layer: the rehearsal was stopped: a command started too many processes (`sandbox.limits.processes`)

1 file changed, +1 -1 (not applied: not all checks passed)

--- stderr
cutonce: the rehearsal failed: the rehearsal was stopped: a command started too many processes (`sandbox.limits.processes`)
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
         check: until false; do read -t 1 < /dev/zero; done (stopped, <time>)

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
