On a kernel without user namespaces there are no overlays: `doctor` says that rehearsals use a private copy and what it costs, and a rehearsal works on one (RH-8). Its commands are confined by Landlock.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; printf '/out\n' > .gitignore; mkdir out; echo big > out/log; git add . && git commit -qm first
--- file plan.md
# Plan

Change a.txt.
--- machine without namespaces
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "c.txt", "content": "c\n"}},
             {"name": "Bash", "input": {"command": "echo two > a.txt; ls; git status --short"}},
             {"name": "Bash", "input": {"command": "echo x > $HOME/outside.txt; (echo > /dev/tcp/127.0.0.1/1) 2>&1 | head -1; true"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 0
--- stdout
diff --git a/c.txt b/c.txt
new file mode 100644
--- /dev/null
+++ b/c.txt
@@ -0,0 +1 @@
+c

1 file changed, +1 -0 (applied)

--- stderr
plan: plan.md
sha256: f0ef158285b33f0bbe9eb4e5aed023c44b271e8f5fe65abd36054048d752a749
next: git diff

--- disk
created c.txt
  c

--- seen
request 1
  user: Implement this plan. The user approved it, and it is saved at $WS/plan.md. If you must deviate from it, say so.
        
        # Plan
        
        Change a.txt.
request 2
  assistant: call Write {"file_path":"c.txt","content":"c\n"}
  assistant: call Bash {"command":"echo two > a.txt; ls; git status --short"}
  assistant: call Bash {"command":"echo x > $HOME/outside.txt; (echo > /dev/tcp/127.0.0.1/1) 2>&1 | head -1; true"}
  user: result: Created c.txt (1 line).
  user: error: The command was not started: the sandbox can't be applied in full, so the command was not run (hidden or read-only files inside a writable folder, and throwaway layers, need user namespaces).
  user: error: The command was not started: the sandbox can't be applied in full, so the command was not run (hidden or read-only files inside a writable folder, and throwaway layers, need user namespaces).

