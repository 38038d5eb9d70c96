A status line command that fails costs one line and is not run again (DU-7).

--- file ~/.cutonce/settings.json
{"statusLine": {"type": "command", "command": "echo broken >&2; echo x >> runs; exit 3"}}
--- model
{"turns": [{"text": "One."}, {"text": "Two."}]}
--- pty 80x24 cutonce
--- keys
< The status line command failed: exit code 3: broken.
> one
press enter
< One.
gone esc to interrupt
> two
press enter
< Two.
gone esc to interrupt
press ctrl+d
--- exit 0
--- disk
created runs
  x

