A session continues in another folder (SE-3): the user is informed, and both folders list it and can continue it; a fork leaves it unchanged and names
its origin (SE-6).

--- model
{"turns": [
  {"text": "I will remember: blue."},
  {"text": "Here it is still blue."},
  {"text": "Back in the first folder: blue."},
  {"text": "In the second again: blue."},
  {"text": "The fork knows blue."}
]}
--- in first
--- run cutonce -p "my colour is blue"
--- stdout
I will remember: blue.

--- in second
--- run cutonce -p "what colour?" --resume "my colour"
--- stdout
Here it is still blue.

--- stderr
cutonce: This session worked in $WS/first until now. It continues in $WS/second, with the settings of this folder, and both folders list it. (To continue in a copy instead, use --fork-session.)

--- run cutonce sessions blue
--- exit 0
--- stderr

--- in first
--- run cutonce sessions blue
--- exit 0
--- stderr

--- run cutonce -p "and now?" --continue
--- stdout
Back in the first folder: blue.

--- stderr
cutonce: This session worked in $WS/second until now. It continues in $WS/first, with the settings of this folder, and both folders list it. (To continue in a copy instead, use --fork-session.)

--- in second
--- run cutonce -p "and now?" --continue
--- stdout
In the second again: blue.

--- in third
--- run cutonce sessions blue
--- exit 0
--- stderr
No session matches "blue". `cutonce sessions` lists all sessions of this folder.

--- run cutonce -p "and in a fork?" --resume "my colour" --fork-session
--- stdout
The fork knows blue.

--- stderr

--- transcript
session {}
user {"text":"my colour is blue"}
assistant {"blocks":[{"type":"text","text":"I will remember: blue."}],"stop":"end_turn"}
session {}
user {"text":"what colour?"}
assistant {"blocks":[{"type":"text","text":"Here it is still blue."}],"stop":"end_turn"}
session {}
user {"text":"and now?"}
assistant {"blocks":[{"type":"text","text":"Back in the first folder: blue."}],"stop":"end_turn"}
session {}
user {"text":"and now?"}
assistant {"blocks":[{"type":"text","text":"In the second again: blue."}],"stop":"end_turn"}
session {"forkedFrom":"<id>"}
user {"text":"and in a fork?"}
assistant {"blocks":[{"type":"text","text":"The fork knows blue."}],"stop":"end_turn"}

