The same on a wide terminal: the diff of the selected file or step and the output of a check are next to the list (RH-2). Rejecting leaves every byte, mode, time and link of the workspace and of git's folder as it was (RH-1); a result that was kept by name survives that (RH-5).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
mkdir src; printf 'fn main() {\n    println!("one");\n}\n' > src/main.rs; ln -s main.rs src/link; echo old > c.txt; chmod 600 c.txt; git add . && git commit -qm first
list() { find . -printf '%p %y %m %n %s %T@ %l\n' | sort; find . -type f -exec sha256sum {} + | sort; }
list > ~/before.list
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Say two\n\n## Steps\n\n1. Change the text\n   - files: src/main.rs (change)\n   - check: grep -n two src/main.rs\n2. Add a note\n   - files: notes/two.md (new)\n\n## Verification\n\n- `test -s notes/two.md`\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Bash", "input": {"command": "until [ -e ~/go ]; do sleep 0.05; done; sed -i s/one/two/ src/main.rs"}},
             {"name": "Write", "input": {"file_path": "notes/two.md", "content": "# Two\n\nIt says two.\n"}},
             {"name": "Bash", "input": {"command": "curl -s https://example.org; echo x >> c.txt"}}]},
  {"text": "rehearsed"}
]}
--- pty 120x40 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> say two
press enter
< approve → accept edits
gone keys choose in a moment
press r
< r watches rehearsal r1: Bash curl
press r
< What it does
--- shows
--- keys
! touch ~/go
< No drift
press down
< two"
--- shows
--- keys
press down
< exit 0
--- shows
--- keys
press s
< kept for
press esc
gone Result
press 6
< enter confirm
press enter
< Plan kept
! list() { find . -printf '%p %y %m %n %s %T@ %l\n' | sort; find . -type f -exec sha256sum {} + | sort; }; list | diff ~/before.list -
press ctrl+d
--- exit 0
--- disk
nothing changed

--- sh
test "$(ls ~/.cutonce/layers/rehearsals | grep -c -e layer-of)" = 0 || echo "layers are left" > left.txt
--- run cutonce rehearsals apply $SLUG-r1
--- exit 0
--- stdout
--- disk
