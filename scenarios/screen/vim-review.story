With `editorMode: "vim"` the fields of the review have vim's keys (DU-7): Esc leads to normal mode and keeps the field open, Enter saves the comment.

--- file ~/.cutonce/settings.json
{"editorMode": "vim"}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Count the users\n\n1. Guess\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Never said."}
]}
--- pty 80x24 cutonce --permission-mode plan "count them"
--- keys
< 1 approve
gone keys choose in a moment
press c
> count twize
press esc
> bcwtwice
press esc enter
< you: count twice
press esc
< A plan is ready for your review
press ctrl+c ctrl+c
--- exit 0
