Where overlays are missing, a rehearsal works on a private copy of tracked and unignored files, with the same rules (RH-8): `plan.rehearsal.layer` forces it here. The user sees the workspace's own paths; `doctor` names the cost; attacks change nothing; the copy is removed.

--- file ~/.cutonce/settings.json
{"plan": {"rehearsal": {"layer": "copy"}}}
--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo gone > b.txt; printf '/out\n' > .gitignore; mkdir out; git add . && git commit -qm first
--- file plan.md
# Plan

Change a.txt, remove b.txt, add c/d.txt.
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt && rm b.txt && mkdir -p out && echo built > out/log && cat a.txt"}},
             {"name": "Write", "input": {"file_path": "c/d.txt", "content": "made\n"}},
             {"name": "Write", "input": {"file_path": "$HOME/outside.txt", "content": "no\n"}},
             {"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat c/d.txt; ls; echo x > $HOME/outside.txt; curl -s http://127.0.0.1:1 || echo offline"}}]},
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
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/c/d.txt b/c/d.txt
new file mode 100644
--- /dev/null
+++ b/c/d.txt
@@ -0,0 +1 @@
+made
denied: Write: $HOME/outside.txt
denied: Bash: cat c/d.txt; ls; echo x > $HOME/outside.txt; curl -s http://127.0.0.1:1 || echo offline (it wanted a secret, a protected file or one outside the workspace)

3 files changed, +2 -2 (not applied)

--- stderr
plan: plan.md
sha256: 4d0d86ad23fa453caf24118ce5deb00d799f7efc78c61d5b5c515c5864ef4f7e
next: cutonce implement plan.md --sha256 4d0d86ad23fa453caf24118ce5deb00d799f7efc78c61d5b5c515c5864ef4f7e

--- disk
nothing changed

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        Change a.txt, remove b.txt, add c/d.txt.
request 2
  assistant: call Bash {"command":"sed -i s/one/two/ a.txt && rm b.txt && mkdir -p out && echo built > out/log && cat a.txt"}
  assistant: call Write {"file_path":"c/d.txt","content":"made\n"}
  assistant: call Write {"file_path":"$HOME/outside.txt","content":"no\n"}
  assistant: call Read {"file_path":"a.txt"}
  user: result: two
  user: result: Created c/d.txt (1 line).
  user: error: Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.
  user: result: 1	two
request 3
  assistant: call Bash {"command":"cat c/d.txt; ls; echo x > $HOME/outside.txt; curl -s http://127.0.0.1:1 || echo offline"}
  user: result: made
        AGENTS.md
        CLAUDE.md
        a.txt
        c
        out
        plan.md
        bash: line 1: $HOME/outside.txt: Read-only file system
        offline

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo three > a.txt && git mv b.txt e.txt"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "mv b.txt e.txt"}}]},
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
+three
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/e.txt b/e.txt
new file mode 100644
--- /dev/null
+++ b/e.txt
@@ -0,0 +1 @@
+gone
denied: Bash: echo three > a.txt && git mv b.txt e.txt (it wanted a secret, a protected file or one outside the workspace)

3 files changed, +2 -2 (applied)

--- stderr
plan: plan.md
sha256: 4d0d86ad23fa453caf24118ce5deb00d799f7efc78c61d5b5c515c5864ef4f7e
next: git diff

--- disk
deleted b.txt
changed a.txt
  three
created e.txt
  gone

--- sh
git checkout -q . && rm -f e.txt; if ls -A ~/.cutonce-rehearsals | grep -q layer-of; then echo "copies are left" > left.txt; fi
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "until [ -e ~/go ]; do sleep 0.05; done; echo four > a.txt; git status --short"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- talk
! until ls ~/.cutonce-rehearsals/layer-of-*/upper/*/b.txt > /dev/null 2>&1; do sleep 0.05; done; echo mine >> a.txt; touch ~/go
--- exit 4
--- stdout
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1 @@
-one
-mine
+four

1 file changed, +1 -2 (not applied)

--- stderr
cutonce: Nothing was applied: these files changed in the workspace meanwhile: a.txt.
plan: plan.md
sha256: 4d0d86ad23fa453caf24118ce5deb00d799f7efc78c61d5b5c515c5864ef4f7e
next: cutonce implement plan.md --sha256 4d0d86ad23fa453caf24118ce5deb00d799f7efc78c61d5b5c515c5864ef4f7e

--- disk
changed a.txt
  one
  mine

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        Change a.txt, remove b.txt, add c/d.txt.
request 2
  assistant: call Bash {"command":"until [ -e ~/go ]; do sleep 0.05; done; echo four > a.txt; git status --short"}
  user: result:  M a.txt
        ?? plan.md

