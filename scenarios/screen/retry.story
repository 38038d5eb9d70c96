A provider that fails in the middle of its answer (MO-3): the request is sent again; lines that are in the scrollback already are not printed twice, and an answer that comes out differently is marked.

--- model
{"turns": [
  {"text": "One.\n\nTwo.\n\nThree is cut off here", "fault": "cut"},
  {"text": "One.\n\nTwo.\n\nThree is whole."},
  {"text": "Alpha.\n\nBeta.\n\nGamma is cut", "fault": "cut"},
  {"text": "Alpha.\n\nOmega.\n\nEnd."}
]}
--- pty 80x24 cutonce
--- keys
< claude-
> count
press enter
< Three is whole.
gone interrupt
--- shows
> count

● One.

  Two.

! anthropic cut the stream in the middle of the answer (retry 1 of 10)

  Three is whole.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
> letters
press enter
< End.
gone interrupt
--- history
> count

● One.

  Two.

! anthropic cut the stream in the middle of the answer (retry 1 of 10)

  Three is whole.

> letters

● Alpha.

  Beta.

! anthropic cut the stream in the middle of the answer (retry 1 of 10)
  The provider restarted and gave a different answer:

  Omega.

  End.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
