`/permissions` (PR-7, UI-9): a rule that is added there holds at once and is in the local settings; one that means nothing is refused; a rule is taken out of its file by a key.

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
 Rules; deny before ask before allow; the mode is default
  deny  Read(secret.txt)  ~/.cutonce/settings.json
› allow Bash(touch:*)     .cutonce/settings.local.json

  allow Bash(touch:*)
  .cutonce/settings.local.json

















 a allow … · s ask … · d deny … · x take out · esc back

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
< Taken out of
--- shows
 Rules; deny before ask before allow; the mode is default
› allow Bash(touch:*)  .cutonce/settings.local.json

  allow Bash(touch:*)
  .cutonce/settings.local.json


















 Taken out of ~/.cutonce/settings.json; a running session keeps it until it end…

--- keys
press esc
gone Taken out of
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
