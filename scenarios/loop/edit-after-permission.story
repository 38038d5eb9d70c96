The user is asked before a file changes (AG-1, AG-2, PR-4, TL-4). The dialog shows the diff; "yes" allows exactly this edit.

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
Let me look.
It subtracts.

? Edit wants to change: Edits need your OK in default mode
  | --- src/add.sh
  | +++ src/add.sh
  | @@ -1 +1 @@
  | -add() { echo $(($1 - $2)); }
  | +add() { echo $(($1 + $2)); }
  1 yes
  2 yes, and don't ask again here for Edit(./src/add.sh) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./src/add.sh)
  2b yes, and don't ask again here for Edit(./src/**) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Edit(./src/**)
  2d yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: Fixed.

>

--- disk
changed src/add.sh
  add() { echo $(($1 + $2)); }

--- transcript
session {}
user {"text":"fix add"}
assistant {"blocks":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_0001_01","name":"Read","input":{"file_path":"src/add.sh"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_01","name":"Read","input":{"file_path":"src/add.sh"},"output":[{"type":"text","text":"1\tadd() { echo $(($1 - $2)); }"}],"isError":false,"decision":{"behavior":"allow","reason":"Reads are allowed in default mode"}}
assistant {"blocks":[{"type":"text","text":"It subtracts."},{"type":"tool_use","id":"toolu_0002_01","name":"Edit","input":{"file_path":"src/add.sh","old_string":"$1 - $2","new_string":"$1 + $2"}}],"stop":"tool_use"}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"allow","remember":[]}}
file_snapshot {"key":"before","path":"$WS/src/add.sh","sha256":"3369340179d9fe1c5881312ae1adde9ace7f4a0ea2ac6cfdcad2d666ce63b552"}
tool {"callId":"toolu_0002_01","name":"Edit","input":{"file_path":"src/add.sh","old_string":"$1 - $2","new_string":"$1 + $2"},"output":[{"type":"text","text":"Edited src/add.sh:\n1\tadd() { echo $(($1 + $2)); }"}],"isError":false,"decision":{"behavior":"allow","reason":"the user allowed it"}}
assistant {"blocks":[{"type":"text","text":"Fixed."}],"stop":"end_turn"}

--- seen
request 1
  user: fix add
request 2
  assistant: Let me look.
  assistant: call Read {"file_path":"src/add.sh"}
  user: result: 1	add() { echo $(($1 - $2)); }
request 3
  assistant: It subtracts.
  assistant: call Edit {"file_path":"src/add.sh","old_string":"$1 - $2","new_string":"$1 + $2"}
  user: result: Edited src/add.sh:
        1	add() { echo $(($1 + $2)); }

