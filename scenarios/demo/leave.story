Leaving plan mode in the demo starts nothing, and the demo says so (ON-2). In a pipe the demo approves by itself and checks the files.

--- pty 120x40 cutonce demo --dir shop
--- keys
< The plan waits for you.
< 6 exit plan mode
gone keys choose in a moment
press 6
< enter confirm
press enter
< Over: nothing was approved, so nothing changed.
press ctrl+c ctrl+c
--- exit 0
--- run cutonce demo
--- exit 0
