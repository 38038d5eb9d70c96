A folder that brings settings which loosen something asks for trust once, in one screen (ON-4, PR-2). A stray letter trusts nothing; "n" is not asked again; /trust asks again, and a yes applies at once. In a folder without settings it claims nothing about them.

--- file .cutonce/settings.json
{"permissions": {"allow": ["Bash(touch made)"]}, "env": {"SHOP": "open"}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch made"}}]},
  {"text": "Made."}
]}
--- pty 80x24 cutonce
--- keys
< Trust this folder?
--- shows
 Trust this folder? Its settings would loosen permissions or run programs
› allow rules  .cutonce/settings.json
  env          .cutonce/settings.json

  permissions.allow in .cutonce/settings.json

  [
    "Bash(touch made)"
  ]














 t trust this folder · n ignore them, don't ask again · esc not now

--- keys
press t
< type yes
> est it
press enter
< Not trusted. /trust asks again.
press ctrl+d
--- exit 0
--- pty 80x24 cutonce
--- keys
< Trust this folder?
press n
< Its settings stay ignored
press ctrl+d
--- exit 0
--- pty 80x24 cutonce
--- keys
< Ignored until you trust this folder
gone Trust this folder?
> /trust
press enter
< Trust this folder?
press t
< type yes
> yes
press enter
< Its settings apply now.
> go
press enter
< Made.
press ctrl+d
--- exit 0
--- disk
created made

--- sh
mkdir ../empty
--- in ../empty
--- pty 80x24 cutonce
--- keys
< claude-
> /trust
press enter
< Trust this folder?
--- shows
 Trust this folder?
 This folder brings no settings that need trust. Its own commands, skills and
 agents do: press t to use them.




















 t trust this folder · n ignore them, don't ask again · esc not now

--- keys
press esc
gone Trust this folder?
press ctrl+d
--- exit 0
