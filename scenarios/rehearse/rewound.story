Applied changes are a rewind point (RH-4): the approval. Going back to it restores the workspace as it was before the rehearsal was applied: a changed, a new, a removed and an executable file.

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; echo old > c.txt; echo run > d.sh; chmod +x d.sh; git add . && git commit -qm first
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n## Steps\n\n1. Change all\n   - files: a.txt (change), sub/b.txt (new), c.txt (delete), d.sh (change)\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt; mkdir sub; echo b > sub/b.txt; rm c.txt; echo more >> d.sh"}}]},
  {"text": "rehearsed"},
  {"text": "All done."}
]}
--- run cutonce --plain --permission-mode plan "change all"
--- talk
< answer
> r
< a applies exactly this
> a
< Press Enter
> y
< All done.
< >
! test "$(cat a.txt sub/b.txt d.sh | tr '\n' ' ')" = "two b run more " && test ! -e c.txt && cp -a . ~/applied
> /rewind
< point: 
> 1
< rewind: 
> 3
< put back
< >
! test -z "$(git status --porcelain)" && test -x d.sh
> /exit
--- exit 0
--- disk
nothing changed

