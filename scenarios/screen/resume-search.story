`--resume TEXT` opens the picker with the text filled in if several sessions match (SE-3, UI-15). `/resume` accepts a text as well; if none of the
folder matches, it searches all folders.

--- model
{"turns": [{"text": "One."}, {"text": "Two."}, {"text": "Three."}]}
--- run cutonce -p "fix the door"
--- run cutonce -p "fix the window"
--- run cutonce -p "paint the wall"
--- pty 80x24 cutonce --resume fix
--- keys
< fix the door
< fix the window
gone paint the wall
< 2 of 3   fix▏
press space
> the door
gone fix the window
press enter
< One.
> /resume wall
press enter
< paint the wall
gone fix the window
press enter
< Three.
press ctrl+d
--- exit 0
--- sh
mkdir -p other
--- in other
--- pty 80x24 cutonce --resume fix
--- keys
< all folders
< fix the door
< fix the window
press esc esc
--- exit 0
--- in .
--- run cutonce --plain --resume fix
--- talk
< with «fix»: 2
< session: 
> 1
< >
> /exit
--- exit 0
