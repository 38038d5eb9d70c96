A plan that `cutonce plan` printed waits for an answer: `-c` opens the review with it, and an approval there starts the work (PM-76). On a terminal a line says what the run does and is gone at its end.

--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\n1. Write b\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "b.txt", "content": "b\n"}}]},
  {"text": "Wrote b."}
]}
--- file a.txt
a
--- pty 80x24 cutonce plan "write b"
--- keys
< next: cutonce implement
--- shows
# Plan

1. Write b
plan: <slug>
path: <plan>
sha256: 3172df019fffa9403e414126a638edeb1959189de60c536b82b1eff1d9519503
next: cutonce implement <slug>

--- exit 0
--- pty 80x24 cutonce -c
--- keys
< 1 approve
gone keys choose in a moment
press 1
< enter confirm
press enter
< Wrote b.
gone esc to interrupt
press ctrl+d
--- exit 0
--- disk
created b.txt
  b

