A script of the rehearsing agent writes settings of cutonce and other agents into subfolders. No one was asked, so they are listed and never applied (RH-2, PR-4); `--apply` applies the rest (RH-6).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
mkdir sub; echo one > sub/a.txt; git add . && git commit -qm first
--- file plan.md
# Change a

Run the script that changes a.
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "go.sh", "content": "mkdir -p sub/.cutonce sub/.CLAUDE sub/.git/hooks\necho x > sub/.cutonce/settings.json\necho x > sub/.CLAUDE/settings.json\necho x > sub/.mcp.json\necho x > sub/.git/hooks/pre-commit\necho two > sub/a.txt\n"}},
             {"name": "Bash", "input": {"command": "sh go.sh && rm go.sh"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --apply
--- exit 0
--- stdout
diff --git a/sub/a.txt b/sub/a.txt
--- a/sub/a.txt
+++ b/sub/a.txt
@@ -1 +1 @@
-one
+two
denied: layer: sub/.CLAUDE/settings.json is protected: only you can change it
denied: layer: sub/.cutonce/settings.json is protected: only you can change it
denied: layer: sub/.git is protected: only you can change it
denied: layer: sub/.mcp.json is protected: only you can change it

1 file changed, +1 -1 (applied)

--- stderr
plan: plan.md
sha256: 122f7609902b11beedb152366c1308acaa6bc059406b683a382db4fc2a517c44
next: git diff

--- disk
changed sub/a.txt
  two

