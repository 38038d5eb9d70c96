A rehearsal carries a plan out on a layer over the workspace and shows the diff (RH-1, RH-2, RH-6). File tools and commands see the layer; what would ask is denied and listed; the workspace does not change. `--apply` applies exactly what was shown (RH-3).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo gone > b.txt; printf '/out\n' > .gitignore; mkdir out; git add . && git commit -qm first
--- file plan.md
# Plan

Change a.txt, remove b.txt, add c/d.txt.
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt && rm b.txt && echo built > out/log && cat a.txt"}},
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
  assistant: call Bash {"command":"sed -i s/one/two/ a.txt && rm b.txt && echo built > out/log && cat a.txt"}
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
--- run cutonce rehearse plan.md --apply --verbose
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
● Bash echo three > a.txt && git mv b.txt e.txt
● Bash mv b.txt e.txt
plan: plan.md
sha256: 4d0d86ad23fa453caf24118ce5deb00d799f7efc78c61d5b5c515c5864ef4f7e
next: git diff

--- disk
deleted b.txt
changed a.txt
  three
created e.txt
  gone

--- run cutonce rehearse no-such-plan
--- exit 1
--- stderr
cutonce: no-such-plan is neither a plan (see `cutonce plans list`) nor a readable file: No such file or directory

