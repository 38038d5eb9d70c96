The first start greets (ON-3): name, version, folder, model, mode, and the key presses that lead to plan mode. The keys do lead there (ON-5). The second start does not greet.

--- file ~/.cutonce/tips.json
{"sessions": 0, "shown": null}
--- model
{"turns": [{"text": "Hi."}]}
--- pty 80x24 cutonce
--- keys
< Type a task
--- shows
cutonce 0.1.0
$WS · claude-sonnet-5-5 · default mode
For a plan before anything changes, press shift+tab twice.
Type a task and press Enter. /help lists commands and keys.

›

/help                                                         claude-sonnet-5-5

--- keys
press shift+tab shift+tab
< plan mode on
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
