A session goes on where it stopped (SE-3): --continue takes the latest, --resume finds by id or words, --fork-session leaves the original alone.

--- model
{"turns": [
  {"text": "I will remember: blue."},
  {"text": "You said blue."},
  {"text": "In the fork: still blue."},
  {"text": "The original does not know of the fork."}
]}
--- run cutonce -p "my colour is blue"
--- stdout
--- run cutonce -p "what colour?" --continue
--- stdout
--- run cutonce -p "and in a fork?" --resume "my colour" --fork-session
--- stdout
--- transcript
--- seen
--- run cutonce -p "x" --resume "no such words"
--- exit 1
--- stderr
