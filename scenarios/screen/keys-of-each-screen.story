`?` shows the keys of the screen that the user is on, over it, and returns there (DU-7): the composer, a menu, the pager, the lists of sessions and of points to rewind to.

--- model
{"turns": [
  {"text": "Hello."}
]}
--- pty 60x12 cutonce
--- keys
> hi
press enter
< Hello.
> /mode
press enter
< Permission mode
> ?
< Keys of this screen
--- shows
 Keys of this screen
  enter    use it
  ↑ ↓ j k  another row
  esc q    back







 ↑↓ / find y copy q back

--- keys
> ?
gone Keys of this screen
< Permission mode
press esc
gone Permission mode
press ctrl+o
< Hello.
> ?
< Keys of this screen
--- shows
 Keys of this screen
  ↑ ↓ k j    a line up or down
  PgUp PgDn  a page up or down; so do b and space
  g G        the start, the end
  { }        the previous or next entry
  /          find; enter goes to the first match
  n N        the next or previous match
  y          copy the entry at the top
  esc q      back


 ↑↓ / find y copy q back

--- keys
press esc
gone Keys of this screen
press esc
gone q back
> /resume
press enter
< Resume a session
> ?
< Keys of this screen
--- shows
 Keys of this screen
  letters  search; `?` only after another letter
  ↑ ↓      another session
  enter    resume it
  ctrl+f   continue in a copy
  ctrl+y   copy its id
  tab      this folder or all folders
  esc      clear the search; then back



 ↑↓ / find y copy q back

--- keys
press esc
gone Keys of this screen
press esc
gone Resume a session
> /rewind
press enter
< Rewind to
> ?
< Keys of this screen
--- shows
 Keys of this screen
  ↑ ↓ k j  another point
  enter    choose it; then
  1        go back to it: conversation and files
  2        conversation only; the files stay
  3        files only; the conversation stays
  esc q    back




 ↑↓ / find y copy q back

--- keys
press esc
gone Keys of this screen
press esc
gone Rewind to
press ctrl+d
--- exit 0
