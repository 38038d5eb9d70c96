`--continue` without an earlier session starts a new one (SE-3), in the terminal and in plain lines; `-p` reports that there is none. A command of an
untrusted project says what it needs (PR-2, UI-9).

--- file .cutonce/commands/mine.md
Do it.
--- model
{"turns": [{"text": "Hello."}, {"text": "Hello again."}]}
--- pty 80x24 cutonce --continue
--- keys
< No earlier session here; started a new one.
> /mine x
press enter
< /mine is a command of this project. Trust the folder to use it
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
cutonce: No earlier session here; started a new one.

--- sh
mkdir -p third
--- in third
--- run cutonce -p --continue hi
--- exit 1
--- stderr
cutonce: no session matches "the latest one in this folder"; `cutonce sessions` lists them

