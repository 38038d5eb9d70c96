The demo is the terminal program itself (ON-2): a line at the bottom explains the screen and the keys. Approving fixes the bug; its check passes, and a write outside the plan is stopped (PC-20, PC-30).

--- pty 80x24 cutonce demo --dir shop
--- keys
< scripted
< The plan waits for you.
< 1 approve
gone keys choose in a moment
press 1
< enter confirm
press enter
< Nothing runs before you answer
< digit chooses
press 1
< Done:
< Over: NOTES.md was stopped
press ctrl+c ctrl+c
--- exit 0
--- sh
grep -q 'in "$@"' shop/src/total.sh
