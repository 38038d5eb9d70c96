A plan of 1,000 lines at 80x24 (PM-74, UI-6): the choices stay visible while the plan scrolls; pages, headings, outline, search, and `d` for the
changes since the last submission: bars, words with the removed lines, off.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"text": "I plan."},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "Revised."},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> wait
press enter
< I plan.
gone interrupt
! { echo "# Long"; for n in $(seq 99); do printf '\n## Part %s\n\nText of part %s.\n\n- one\n- two\n- three\n\nEnd of %s.\n' $n $n $n; done; } > $PLAN; test $(wc -l < $PLAN) = 991; yes '' | head -9 >> $PLAN; printf 'The last line.\n' >> $PLAN
> submit
press enter
< approve → accept edits
gone keys choose in a moment
< Part 1
--- shows
 Plan rev 1: Long
 <plan>  0 files changed since entry, checked
── Long ───────────────────────────────────────────────────────── 1/1001 · <n>% ──
›     1   Long
      2
      3   Part 1
      4
      5   Text of part 1.
      6
      7   • one
      8   • two
      9   • three
     10
     11   End of 1.
     12
     13   Part 2
     14
     15   Text of part 2.
     16
────────────────────────────────────────────────────────── context <n>% · $<n> ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  { } heading  [ ] change or comment  o outline  / find  y copy  ?

--- keys
press pgdn
< Part 2
press } }
< Part 4
press G
< The last line.
--- shows
 Plan rev 1: Long
 <plan>  0 files changed since entry, checked
── Part 99 ───────────────────────────────────────────────── 1001/1001 · <n>% ──
    986
    987   • one
    988   • two
    989   • three
    990
    991   End of 99.
    992
    993
    994
    995
    996
    997
    998
    999
   1000
›  1001   The last line.
────────────────────────────────────────────────────────── context <n>% · $<n> ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  { } heading  [ ] change or comment  o outline  / find  y copy  ?

--- keys
press /
< find
> part 50.
< 1 of 1
press enter
< Text of part 50.
--- shows
 Plan rev 1: Long
 <plan>  0 files changed since entry, checked
── Part 50 ─────────────────────────────────────────────────── 495/1001 · <n>% ──
    489   • three
    490
    491   End of 49.
    492
    493   Part 50
    494
›   495   Text of part 50.
    496
    497   • one
    498   • two
    499   • three
    500
    501   End of 50.
    502
    503   Part 51
    504
── “part 50.” 1 of 1 · n N, esc ends ───────────────────── context <n>% · $<n> ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  { } heading  [ ] change or comment  o outline  / find  y copy  ?

--- keys
press esc
gone 1 of 1
press o
--- shows
 Plan rev 1: Long
 <plan>  0 files changed since entry, checked
── Part 50 ─────────────────────────────────────────────────── 495/1001 · <n>% ──
  Part 42
  Part 43
  Part 44
  Part 45
  Part 46
  Part 47
  Part 48
  Part 49
› Part 50
  Part 51
  Part 52
  Part 53
  Part 54
  Part 55
  Part 56
  Part 57
────────────────────────────────────────────────────────── context <n>% · $<n> ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  { } heading  [ ] change or comment  o outline  / find  y copy  ?

--- keys
press down down enter
< Part 52
press 5
< enter send and keep planning
> shorter
press enter
< Revised.
gone interrupt
! sed -i 's/^Text of part 50\.$/Words of part 50./; /^End of 51/d' $PLAN
> submit again
press enter
< Plan rev 2
< approve → accept edits
gone keys choose in a moment
press ]
< Words of part 50.
--- shows
 Plan rev 2: Long                                       +0 -1 ~1 since rev 1
 <plan>  0 files changed since entry, checked
── Part 50 ─────────────────────────────────────────────────── 495/1000 · <n>% ──
    491   End of 49.
    492
    493   Part 50
    494
›~  495   Words of part 50.
    496
    497   • one
    498   • two
    499   • three
    500
    501   End of 50.
    502
    503   Part 51
    504
    505   Text of part 51.
    506
────────────────────────────────────────────────────────── context <n>% · $<n> ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  { } heading  [ ] change or comment  o outline  / find  y copy  ?

--- keys
press d
< Text of part 50.
--- shows
 Plan rev 2: Long                                       +0 -1 ~1 since rev 1
 <plan>  0 files changed since entry, checked
── Part 50 ─────────────────────────────────────────────────── 495/1000 · <n>% ──
    491   End of 49.
    492
    493   Part 50
    494
 -  495   Text of part 50.
›~  495   Words of part 50.
    496
    497   • one
    498   • two
    499   • three
    500
    501   End of 50.
    502
    503   Part 51
    504
    505   Text of part 51.
────────────────────────────────────────────────────────── context <n>% · $<n> ──
 1 approve → accept edits    4 [ ] clear context first  5 request changes → plan
 2 approve → ask each edit   n note to the agent        6 exit → default
                             c comment  e edit  d diff  esc decide later
 r rehearse  { } heading  [ ] change or comment  o outline  / find  y copy  ?

--- keys
press d
gone Text of part 50.
press esc
< plan is ready
press ctrl+d
--- exit 0
