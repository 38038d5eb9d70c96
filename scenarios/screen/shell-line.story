A line after `!` runs in the person's own shell, on their terminal, with their rights (UI-3): the model sees nothing of it; a failure is told; the terminal is ours again afterwards.

--- model
{"turns": [{"text": "Hello."}]}
--- env SHELL=/bin/bash
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ⏸ plan mode on
> !echo from $((40+2)) > made; cat made; read -p "$(echo na)me? " name; echo "you are $name"
press enter
< name?
> Ann
press enter
< you are Ann
< ›
> !exit 3
press enter
< it ended with code 3
> hi
press enter
< Hello.
gone interrupt
--- shows

--- keys
press ctrl+d
--- exit 0
--- disk
created made
  from 42

--- seen

