A tip about Shift+Tab (PM-141): in the third session, then not for twenty; it goes when something is sent or the key is pressed, and is no part of the conversation.

--- model
{"turns": [{"text": "Hi."}]}
--- pty 80x24 cutonce
--- keys
< claude-
press ctrl+d
--- exit 0
--- pty 80x24 cutonce
--- keys
< claude-
press ctrl+d
--- exit 0
--- pty 80x24 cutonce
--- keys
< claude-
< Tip: press shift+tab
--- shows
  Tip: press shift+tab twice for plan mode: see a plan before anything changes

›

/help                                                         claude-sonnet-5-5

--- keys
press shift+tab
gone Tip:
press ctrl+d
--- exit 0
--- pty 80x24 cutonce
--- keys
< claude-
--- shows
›

/help                                                         claude-sonnet-5-5

--- keys
press ctrl+d
--- exit 0
