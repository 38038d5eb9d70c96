With `editorMode: "vim"` the composer has vim's keys (DU-7): Esc leads to normal mode, which the prompt shows.

--- file ~/.cutonce/settings.json
{"editorMode": "vim"}
--- model
{"turns": [{"text": "Heard."}]}
--- pty 80x24 cutonce
--- keys
< claude-sonnet-5-5
> one two three
press esc
< N one two three
> bdwaTWO 
press esc
> A!
press enter
< Heard.
gone esc to interrupt
press ctrl+d
--- exit 0
--- seen
request 1
  user: one two TWO !

