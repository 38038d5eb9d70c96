--resume without an id opens the picker (UI-15, SE-3): first message, preview, search; the chosen session is resumed with its conversation and its
draft (UI-3).

--- model
{"turns": [{"text": "Answer one."}, {"text": "Answer two."}]}
--- pty 80x24 cutonce
--- keys
< ›
> first question
press enter
< Answer one.
gone interrupt
> an unsent thought
< an unsent thought
! kill -9 $PID
--- exit 1
--- pty 80x24 cutonce --resume
--- keys
< first question
press enter
< Answer one.
< › an unsent thought
--- shows
> first question

● Answer one.

› an unsent thought

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+c ctrl+c
--- exit 0
