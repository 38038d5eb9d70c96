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
--- run cutonce rehearse plan.md --keep bad/name
--- exit 1
--- stderr
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo two > a.txt && rm b.txt"}}]},
  {"text": "done"}
]}
--- run cutonce rehearse plan.md --keep later
--- exit 0
--- stderr
--- disk
nothing changed

--- run cutonce rehearsals
--- exit 0
--- stdout
--- run cutonce rehearse plan.md --keep second
--- exit 1
--- stderr
--- in other
--- run cutonce rehearsals apply later
--- exit 1
--- stderr
--- in .
--- sh
echo mine >> a.txt
--- run cutonce rehearsals apply later
--- exit 4
--- stderr
--- disk

--- sh
git checkout -q a.txt
--- run cutonce rehearsals apply later --without b.txt
--- exit 0
--- stdout
--- disk

--- run cutonce rehearsals discard later
--- exit 1
--- stderr
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
--- sh
if ls ~/.cutonce/layers/rehearsals | grep -q -e layer-of -e kept; then echo "layers are left" > left.txt; fi
--- disk
nothing changed
