`cutonce rehearse` exits 0 if all checks passed, 5 if one did not, and `--apply` exits 4 if a file of the diff changed underneath: then nothing is applied and the message names it (RH-3, RH-6). A limit that stops a rehearsal is named (RH-5).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; git add . && git commit -qm first
--- file plan.md
# Plan

## Steps

1. Change a
   - files: a.txt (change)
   - check: grep two a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/three/ a.txt"}}]},
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
+three

Plan

failed   1. Change a
         files: 1 planned, changed a.txt
         check: grep two a.txt (exit 1, <time>)

Failed steps:
  1. Change a

1 file changed, +1 -1 (not applied: not all checks passed)

--- stderr
plan: plan.md
sha256: 64deb7bb71d0cf3925e2fbe8bcad8101adfc3d51a729e6b7b9ac43c3cc565086

--- disk
nothing changed

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "until [ -e ~/go ]; do sleep 0.05; done; echo two > a.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- talk
! until ls $LAYERS/layer-of-* > /dev/null 2>&1; do sleep 0.05; done; echo mine >> a.txt; touch ~/go
--- exit 4
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1 @@
-one
-mine
+two

Plan

checked  1. Change a
         files: 1 planned, changed a.txt
         check: grep two a.txt (exit 0, <time>)

No drift: the implementation follows the plan.

1 file changed, +1 -2 (not applied)

--- stderr
cutonce: Nothing was applied: these files changed in the workspace meanwhile: a.txt.
plan: plan.md
sha256: 64deb7bb71d0cf3925e2fbe8bcad8101adfc3d51a729e6b7b9ac43c3cc565086
next: cutonce implement plan.md --sha256 64deb7bb71d0cf3925e2fbe8bcad8101adfc3d51a729e6b7b9ac43c3cc565086

--- disk
changed a.txt
  one
  mine

--- sh
git checkout -q a.txt
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 0
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two

Plan

checked  1. Change a
         files: 1 planned, changed a.txt
         check: grep two a.txt (exit 0, <time>)

No drift: the implementation follows the plan.

1 file changed, +1 -1 (applied)

--- stderr
plan: plan.md
sha256: 64deb7bb71d0cf3925e2fbe8bcad8101adfc3d51a729e6b7b9ac43c3cc565086
next: git diff

--- disk
changed a.txt
  two

