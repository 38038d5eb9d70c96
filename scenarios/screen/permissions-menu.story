`/permissions` (PR-7, UI-9): an added rule applies at once and is stored in the local settings; an invalid rule is refused; a key removes a rule from
its file.

--- file ~/.cutonce/settings.json
{"permissions": {"deny": ["Read(secret.txt)"]}}
--- model
{"turns": [{"calls": [{"name": "Bash", "input": {"command": "touch made.txt", "description": "make a file"}}]}, {"text": "Made."}]}
--- pty 80x24 cutonce
--- keys
< claude-
> /permissions
press enter
< deny  Read(secret.txt)
press a
< such as Bash(cargo test:*)
> Bash(
press enter
< Bash(
gone such as
press a
< such as Bash(cargo test:*)
> Bash(touch:*)
press enter
< allow Bash(touch:*)
--- shows
 Permission rules: deny wins over ask, ask over allow · mode default
  deny  Read(secret.txt)  ~/.cutonce/settings.json
› allow Bash(touch:*)     .cutonce/settings.local.json

  allow Bash(touch:*)
  .cutonce/settings.local.json

















 a allow … · s ask … · d deny … · x remove · esc back

--- keys
press esc
gone Bash(touch:*)
> make it
press enter
< Made.
gone interrupt
> /permissions
press enter
< deny  Read(secret.txt)
press home x
< Removed from
--- shows
 Permission rules: deny wins over ask, ask over allow · mode default
› allow Bash(touch:*)  .cutonce/settings.local.json

  allow Bash(touch:*)
  .cutonce/settings.local.json


















 Removed from ~/.cutonce/settings.json; running sessions keep it until they end.

--- keys
press esc
gone Removed from
press ctrl+d
--- exit 0
--- disk
created .cutonce/settings.local.json
  {
    "permissions": {
      "allow": [
        "Bash(touch:*)"
      ]
    }
  }
created made.txt

--- sh
! grep -q secret ~/.cutonce/settings.json
