A rehearsal on a terminal of 40x15: the result fits, every row opens whole (RH-2), `?` shows the page's keys (DU-7), the confirmation is complete (RH-3), and `s` keeps the result by name (RH-5).

--- sh
git init -q -b main && git config user.name T && git config user.email t@example.org
echo one > a.txt; git add . && git commit -qm first
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Change a file\n\n## Steps\n\n1. Change a\n   - files: a.txt (change)\n   - check: grep two a.txt\n"}},
             {"name": "ExitPlanMode", "input": {}}]},
  {"calls": [{"name": "Bash", "input": {"command": "sed -i s/one/two/ a.txt"}},
             {"name": "WebFetch", "input": {"url": "https://example.org/a/long/address/of/a/page", "prompt": "read"}}]},
  {"text": "rehearsed"},
  {"text": "All done."}
]}
--- pty 40x15 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> change a
press enter
< approve → accept edits
< 0 files changed
press r
< rehearsal r1 passed
press r
< No drift
--- shows
 Rehearsal r1 passed
 checks 1/1 · 1 file +1 -1 · $<n>
── Result ─────────────────────── 1/6 ──
› 1. Change a                  checked
   [x] a.txt                     +1 -1
   ✓   grep two a.txt           exit 0
  No drift: the result follows the pl…
  Denied: this would have asked you
    WebFetch https://example.org/a/lo…




────────────────────────────────────────
 a apply  spc out  s keep  ? keys  esc

--- keys
press ?
< All keys of this page
--- shows
 Rehearsal r1 passed
 checks 1/1 · 1 file +1 -1 · $<n>
── All keys of this page ────── 10/26 ──
 enter      open the diff, the output
            or the whole text
 [ ]        in an open one: the
            previous or next
 space x    take the file or step out
            of what is applied, or put
            it back
 a          apply exactly this; enter
            confirms, /rewind undoes it
 s          keep the result by name,
────────────────────────────────────────
 ↑↓ scroll  esc back

--- keys
press G
< one step back
press ?
gone All keys of this page
press G enter
< long/address
--- shows
 Rehearsal r1 passed
 checks 1/1 · 1 file +1 -1 · $<n>
───────────────────────────────── 3/3 ──
 WebFetch
 https://example.org/a/long/address/of/
 a/page







────────────────────────────────────────
 [ ] next  spc out  a apply  ?  esc

--- keys
press esc
< Denied
press s
< kept for
press a
< enter confirm
--- shows
 Rehearsal r1 passed
 checks 1/1 · 1 file +1 -1 · $<n>
── Result ─────────────────────── 6/6 ──
  1. Change a                  checked
   [x] a.txt                     +1 -1
   ✓   grep two a.txt           exit 0
  No drift: the result follows the pl…
  Denied: this would have asked you
›   WebFetch https://example.org/a/lo…
──  Apply exactly r1 → default  ────────
 Approves rev 1 and writes 1 file as
 shown, all or none. /rewind undoes it.


 enter confirm                 esc back

--- keys
press esc
gone enter confirm
press esc
< approve → accept edits
press 6
< enter confirm
press enter
gone enter confirm
press ctrl+d
--- exit 0
--- run cutonce rehearsals
--- stdout
<slug>-r1
  plan <slug> in $WS
  passed, checks 1/1, 1 file, +1 -1, 1 denied, $0.02; deleted in 14 days

--- run cutonce rehearsals discard $SLUG-r1
--- stdout
--- disk
nothing changed

