Resuming a session (SE-3): --continue takes the latest, --resume finds one by id or text, --fork-session leaves the original unchanged.

--- model
{"turns": [
  {"text": "I will remember: blue."},
  {"text": "You said blue."},
  {"text": "In the fork: still blue."},
  {"text": "The original does not know of the fork."}
]}
--- run cutonce -p "my colour is blue"
--- stdout
I will remember: blue.

--- run cutonce -p "what colour?" --continue
--- stdout
You said blue.

--- run cutonce -p "and in a fork?" --resume "my colour" --fork-session
--- stdout
In the fork: still blue.

--- transcript
session {}
user {"text":"my colour is blue"}
assistant {"blocks":[{"type":"text","text":"I will remember: blue."}],"stop":"end_turn"}
session {}
user {"text":"what colour?"}
assistant {"blocks":[{"type":"text","text":"You said blue."}],"stop":"end_turn"}
session {"forkedFrom":"<id>"}
user {"text":"and in a fork?"}
assistant {"blocks":[{"type":"text","text":"In the fork: still blue."}],"stop":"end_turn"}

--- seen
request 1
  user: my colour is blue
request 2
  assistant: I will remember: blue.
  user: what colour?
request 3
  assistant: You said blue.
  user: and in a fork?

--- run cutonce -p "x" --resume "no such words"
--- exit 1
--- stderr
cutonce: no session matches "no such words"; `cutonce sessions` lists them

