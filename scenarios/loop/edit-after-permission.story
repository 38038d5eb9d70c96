A person is asked before a file changes (AG-1, AG-2, PR-4, TL-4). The question shows the diff; "yes" lets exactly this edit through.

--- file src/add.sh
add() { echo $(($1 - $2)); }
--- model
{"turns": [
  {"text": "Let me look.", "calls": [{"name": "Read", "input": {"file_path": "src/add.sh"}}]},
  {"text": "It subtracts.", "calls": [{"name": "Edit", "input": {"file_path": "src/add.sh", "old_string": "$1 - $2", "new_string": "$1 + $2"}}]},
  {"text": "Fixed."}
]}
--- run cutonce --plain "fix add"
--- talk
< answer:
> 1
< Fixed.
< > 
> /exit
--- exit 0
--- stdout
--- disk
--- transcript
--- seen
