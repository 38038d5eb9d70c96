/compact shows its progress, and Esc cancels it, also if the summary hangs (AG-4, UI-8).

--- model
{"turns": [
  {"text": "Hello."},
  {"when": "are you there?", "text": "Still here."},
  {"fault": "idle", "text": "never"}
]}
--- pty 80x24 cutonce
--- keys
< /help
> hi
press enter
< Hello.
gone interrupt
> /compact
press enter
< Compacting
< esc to interrupt
press esc
gone Compacting
> are you there?
press enter
< Still here.
press ctrl+d
--- exit 0
