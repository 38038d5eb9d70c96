Two rehearsals run side by side with different models; `x` cancels both cleanly: no program and no layer is left, and nothing changed (RH-5, RH-7).

--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Plan\n\nAdd b.txt.\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"repeat": 2, "calls": [{"name": "Bash", "input": {"command": "echo b > b.txt; until [ -e ~/never ]; do sleep 0.05; done"}}]}
]}
--- run cutonce --plain --permission-mode plan "add b"
--- talk
< answer
> r
< rehearsal r1: Bash
> r haiku
< rehearsal r2: Bash
> x
< rehearsal r2 ended
> 6
< Press Enter
> y
< >
> /exit
--- exit 0
--- stdout

? Exit plan mode?
  plan rev 1 in $HOME/.cutonce/plans/<slug>.md

    1  # Plan
    2  
    3  Add b.txt.

  shell: commands ran in the read-only sandbox, builds on a throwaway layer
  0 files changed since plan mode was entered
  1 Approve, accept edits automatically → acceptEdits
  2 Approve, confirm each edit → default
  4 Approve, clear the context and start → default
    or choose the mode: 4 acceptEdits, 4 default
  5 Keep planning, with feedback → plan
  6 Leave plan mode and keep the plan; nothing runs → default
  c LINE TEXT comment, n TEXT note, e edit, r rehearse
answer (a number, optionally with text): 
rehearsal r1 started with anthropic/claude-sonnet-5-5; x cancels it

rehearsal r1: Bash echo b > b.txt; until [ -e ~/never ]; do sleep 0.05; done

rehearsal r2 started with haiku; x cancels it

rehearsal r2: Bash echo b > b.txt; until [ -e ~/never ]; do sleep 0.05; done

rehearsal r1 ended: it was cancelled

rehearsal r2 ended: it was cancelled
Will exit plan mode and keep the plan; starts nothing; the mode becomes default.
Press Enter to confirm, or enter another choice.
answer: 
>

--- sh
if ls $LAYERS | grep -q layer-of; then echo "layers are left" > left.txt; fi
--- disk
nothing changed

