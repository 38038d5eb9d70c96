A plan of 1,000 lines on 80x24 (PM-74, UI-6): the choices stay in sight while the plan scrolls; pages, headings, outline, search, and `d` for what changed since the last submission: bars, words with the removed lines, off.

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

--- keys
press pgdn
< Part 2
press } }
< Part 4
press G
< The last line.
--- shows

--- keys
press /
< find
> part 50.
< 1 of 1
press enter
< Text of part 50.
--- shows

--- keys
press esc
gone 1 of 1
press o
--- shows

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

--- keys
press d
< End of 51.
--- shows

--- keys
press d
gone End of 51.
press esc
< Interrupted
press ctrl+d
--- exit 0
