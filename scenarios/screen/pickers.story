/mode, /model and /theme without a word list what there is (DU-5); Enter uses the row, Esc changes nothing. /diff shows what the session changed in files, /copy copies the last answer.

--- file a.txt
one
--- model
{"turns": [
  {"calls": [{"name": "Read", "input": {"file_path": "a.txt"}}]},
  {"calls": [{"name": "Edit", "input": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}]},
  {"text": "Changed."}
]}
--- pty 80x24 cutonce
--- keys
< claude-sonnet-5-5
> /copy
press enter
< There is no answer to copy yet.
> /diff
press enter
< This session changed no file.
> /mode
press enter
< Permission mode
--- shows
 Permission mode
› default      reads run, everything else asks
  acceptEdits  reads and edits in the workspace run, everything else asks
  plan         reads run, changes are refused until you approve a plan



















 enter use it · esc back

--- keys
press down enter
< accept edits on
> /model
press enter
< Model: claude-sonnet-5-5
< claude-haiku-5-5 · 1M window · $0.1 in, $0.5 out per million tokens
press esc
gone 1M window
> change it
press enter
< Changed.
gone esc to interrupt
> /copy
press enter
< Copied the last answer.
> /diff
press enter
< Changes of this session
< ● a.txt
< two
press esc
gone Changes of this session
> /theme
press enter
< Theme for this run
press up enter
< Theme: light
press ctrl+d
--- exit 0
--- disk
changed a.txt
  two

