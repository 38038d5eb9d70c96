A private copy takes the place of an overlay (RH-8), forced by `plan.rehearsal.layer` here: git works in it, files of submodules are there, folders that git ignores are there and empty, and a workspace that is too large is not copied. The other stories of this folder are played on a private copy, too.

--- file ~/.cutonce/settings.json
{"plan": {"rehearsal": {"layer": "copy", "maxMegabytes": 1}}}
--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; printf '/out\n' > .gitignore; mkdir out; echo big > out/log; git add . && git commit -qm first
git init -q mod; echo m > mod/m.txt; git -C mod add . && git -C mod -c user.name=T -c user.email=t@example.org commit -qm m; git add mod 2> /dev/null && git commit -qm mod
--- file plan.md
# Plan

Change a.txt.
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt; echo n >> mod/m.txt; ls -A out; echo built > out/log; git status --short; git log --format=%s; git diff --stat -- a.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md
--- exit 0
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+two
diff --git a/mod/m.txt b/mod/m.txt
--- a/mod/m.txt
+++ b/mod/m.txt
@@ -1 +1,2 @@
 m
+n

2 files changed, +2 -1 (not applied)

--- disk
nothing changed

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        Change a.txt.
request 2
  assistant: call Bash {"command":"echo two > a.txt; echo n >> mod/m.txt; ls -A out; echo built > out/log; git status --short; git log --format=%s; git diff --stat -- a.txt"}
  user: result:  M a.txt
        ?? plan.md
        mod
        first
         a.txt | 2 +-
         1 file changed, 1 insertion(+), 1 deletion(-)

--- sh
head -c 2M /dev/zero > large.bin
--- run cutonce rehearse plan.md
--- exit 1
--- stderr
cutonce: no layer for the rehearsal: a copy of the workspace has more than 1 MB: raise `plan.rehearsal.maxMegabytes`, or ignore large files

--- sh
rm large.bin; echo broken > .git/index
--- run cutonce rehearse plan.md
--- exit 1
--- stderr
cutonce: no layer for the rehearsal: git can't list the files of the workspace; `git status` says why

--- sh
if ls ~/.cutonce-rehearsals | grep -q layer-of; then echo "copies are left" > left.txt; fi
--- disk
nothing changed
