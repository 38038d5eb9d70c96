The demo offers a rehearsal (ON-2, RH-1 to RH-3): changes are requested once, then the plan is rehearsed, the user looks at the diff and applies exactly that. Each line of the guide is true.

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
press r
< rehearsal r1 passed · r shows it
! ! grep -q 'in "$@"' shop/src/total.sh
press r
< No drift
--- shows
 Rehearsal r1 of rev 2 passed                                   scripted model
 checks 3/3 · 1 file +1 -1 · 1 denied  no drift · $<n> ·
── Result ────────────────────────────────────────────────────────────── 1/10 ──
› 1. Loop over every price, with `"$@"`                                checked
   [x] src/total.sh                                                      +1 -1
   ✓   bash test.sh                                                     exit 0
  2. Show the result of the test (change 1)                            checked
   ✓   bash test.sh                                                     exit 0
  Checks of the whole plan
   ✓   bash test.sh                                                     exit 0
  No drift: the result follows the plan.
  Denied: this would have asked you
    Write NOTES.md








────────────────────────────────────────────────────────────────────────────────
 a apply  space out  enter open  v earlier rev  ? keys  esc
 demo  This is the result: enter shows the diff, a applies exactly this.

--- keys
press down enter
< esc list
--- shows
 Rehearsal r1 of rev 2 passed                                   scripted model
 checks 3/3 · 1 file +1 -1 · 1 denied  no drift · $<n> ·
── src/total.sh ───────────────────────────────────────────────────────── 8/8 ──
   2
   3   total() {
   4     local sum=0 price
   5 -   for price in "${@:2}"; do
   5 +   for price in "$@"; do
   6       sum=$((sum + price))
   7     done
   8     echo "$sum"










────────────────────────────────────────────────────────────────────────────────
 ↑↓ scroll  [ ] previous, next  space takes it out  a apply  ? keys  esc list
 demo  This is the result: enter shows the diff, a applies exactly this.

--- keys
press a
< enter confirm
press enter
< It is in place
< Over: exactly what the rehearsal showed is applied.
press ctrl+c ctrl+c
--- exit 0
--- sh
grep -q 'in "$@"' shop/src/total.sh && test ! -e shop/NOTES.md && (cd shop && bash test.sh)
