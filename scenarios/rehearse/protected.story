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
--- stderr
--- disk
