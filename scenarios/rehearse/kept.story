A rehearsal that is kept by name survives its session (RH-5): it is listed and shown, applied exactly, or discarded. It belongs to its workspace, a file that changed underneath stops it, and the number of kept ones is limited.

--- file ~/.cutonce/settings.json
{"plan": {"rehearsal": {"maxKept": 1}}}
--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo gone > b.txt; mkdir other; touch other/x; git add . && git commit -qm first
--- file plan.md
# Plan

Change a.txt, remove b.txt.
--- run cutonce rehearsals
--- exit 0
--- stderr
No rehearsal is kept. `cutonce rehearse PLAN --keep NAME` keeps one, and so does s in the review.

--- run cutonce rehearse plan.md --keep bad/name
--- exit 1
--- stderr
cutonce: a name has 1 to 64 letters, digits, dots, - and _

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt && rm b.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --keep later
--- exit 0
--- stderr
plan: plan.md
sha256: fb156f18ebb09afd7bb2d45c3c48205cbf355a509cf2d5d55f5b6ac815234811
next: cutonce implement plan.md --sha256 fb156f18ebb09afd7bb2d45c3c48205cbf355a509cf2d5d55f5b6ac815234811
kept: cutonce rehearsals apply later

--- disk
nothing changed

--- run cutonce rehearsals
--- exit 0
--- stdout
later
  plan $WS/plan.md in $WS
  passed, checks 0/0, 2 files, +1 -2, 0 denied, $0.02; deleted in 14 days

--- run cutonce rehearse plan.md --keep second
--- exit 1
--- stderr
cutonce: no more than 1 can be kept (`plan.rehearsal.maxKept`): discard one with `cutonce rehearsals discard NAME`

--- in other
--- run cutonce rehearsals apply later
--- exit 1
--- stderr
cutonce: later is a rehearsal of $WS; apply it there

--- in .
--- sh
echo mine >> a.txt
--- run cutonce rehearsals apply later
--- exit 4
--- stderr
cutonce: Nothing was applied: these files changed in the workspace meanwhile: a.txt.

--- disk
nothing changed

--- sh
git checkout -q a.txt
--- run cutonce rehearsals apply later --without b.txt
--- exit 0
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone

2 files changed, +1 -2 (applied without b.txt)

--- disk
changed a.txt
  two

--- run cutonce rehearsals discard later
--- exit 1
--- stderr
cutonce: no rehearsal is kept as later; `cutonce rehearsals` lists them

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo four > a.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --keep again --json
--- exit 0
--- run cutonce rehearsals discard again
--- exit 0
--- stderr
discarded again; no file of the workspace changed

--- sh
if ls $LAYERS | grep -q -e layer-of -e kept; then echo "layers are left" > left.txt; fi
--- disk
nothing changed
