A sentence that the user was typing when a question appeared continues in the draft (UI-5, UI-3): its letters do nothing in the dialog, its digit does
not choose, its Enter does not answer. Esc denies, and the whole text is in the draft.

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch made"}}]},
  {"text": "Not done."}
]}
--- pty 80x24 cutonce
--- keys
< /help
> go
press enter
< enter or a digit chooses
> please indent by 2 spaces
press enter
< enter or a digit chooses
press esc
< Interrupted. Tell the agent
< please indent by 2 spaces
press ctrl+c ctrl+c
--- exit 0
--- disk
nothing changed
