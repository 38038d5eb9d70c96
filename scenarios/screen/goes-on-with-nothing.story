`--continue` where there is nothing to go on with is a new session (SE-3), at the screen and in plain lines; `-p` says that there is none. A command of the project's own says what it needs (PR-2, UI-9).

--- file .cutonce/commands/mine.md
Do it.
--- model
{"turns": [{"text": "Hello."}, {"text": "Hello again."}]}
--- pty 80x24 cutonce --continue
--- keys
< There is nothing to go on with in this folder: this is a new session.
> /mine x
press enter
< /mine is this project's own: it counts once you trust the folder
press ctrl+u
> hi
press enter
< Hello.
gone interrupt
press ctrl+d
--- exit 0
--- sh
mkdir -p other
--- in other
--- run cutonce --plain --continue
--- talk
< >
> hi
< Hello again.
< >
> /exit
--- exit 0
--- stderr
cutonce: There is nothing to go on with in this folder: this is a new session.

--- sh
mkdir -p third
--- in third
--- run cutonce -p --continue hi
--- exit 1
--- stderr
cutonce: no session fits "the last one here"; `cutonce sessions` lists them

