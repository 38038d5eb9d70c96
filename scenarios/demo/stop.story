The demo tells the truth after Ctrl+C (ON-2): the plan is approved, and the user stops the agent before its first edit. Nothing claims that a write was stopped or that the bug is fixed.

--- pty 80x24 cutonce demo --dir shop
--- keys
< The plan waits for you.
< 2 approve
gone keys choose in a moment
press 2
< enter confirm
press enter
< Nothing runs before you answer
< digit chooses
press ctrl+c
< Interrupted.
< You stopped the agent, and what it changed stays.
press ctrl+c ctrl+c
--- exit 0
--- sh
! grep -q 'in "$@"' shop/src/total.sh
--- file own/README.md
Mine.
--- run cutonce demo --dir own
--- exit 1
--- stderr
cutonce: own is not empty; the demo needs a new or empty folder (--dir)

--- env TMPDIR=/proc
--- run cutonce demo --yes
--- exit 1
--- stderr
cutonce: the demo can't write in /proc (entity not found); set TMPDIR to a folder that you can write
