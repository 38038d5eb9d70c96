The demo tells the truth after a rejection (ON-2): changes are requested, then the plan is approved with a cleared context, then the edit is refused. Nothing claims that the test passes.

--- pty 80x24 cutonce demo --dir shop
--- keys
< The plan waits for you.
< 5 request changes
gone keys choose in a moment
press 5
< enter send
> smaller steps
press enter
< Not approved, so nothing changes.
< change 1
< 4 [ ] clear
gone keys choose in a moment
press 4 2
< enter confirm
press enter
< I start from the plan alone.
< Nothing runs before you answer
< digit chooses
press 3
< say instead
press enter
< Nothing runs before you answer
< digit chooses
press 1
< You refused a step
< Over: you refused a step
press ctrl+c ctrl+c
--- exit 0
--- sh
! grep -q 'in "$@"' shop/src/total.sh
