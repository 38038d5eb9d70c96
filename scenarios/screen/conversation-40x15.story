A conversation at 40x15: streamed markdown, tool lines with their outcome, folded output, the status line; Shift+Tab cycles the modes, plan mode with
the contract's text and its phase (UI-1, UI-2, UI-4, UI-8, UI-11, PM-11, PM-140). Ctrl+C twice exits (UI-13).

--- model
{"turns": [
  {"text": "I look at **how** it is done.\n\n| reader | keys |\n|---|---|\n| web | 2 |\n\n- one\n- two", "calls": [{"name": "Bash", "input": {"command": "seq 30"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "gone.rs"}}]},
  {"text": "Done."}
]}
--- pty 40x15 cutonce
--- keys
< ›
< /help
> look at it
press enter
< Done.
gone interrupt
--- history
> look at it

● I look at how it is done.

  reader │ keys
  ───────┼─────
  web    │ 2

  • one
  • two

● Bash seq 30
  1
  2
  3
  4
  … 26 more lines (ctrl+o)
✗ Read gone.rs  does not exist

● Done.

›

/help  claude-sonnet-5-5 · <n>%

--- keys
press shift+tab
< accept edits on
press shift+tab
< ⏸ plan mode on (shift+tab to cycle)
< understand
press ctrl+c
< press ctrl+c again to quit
press ctrl+c
--- exit 0
