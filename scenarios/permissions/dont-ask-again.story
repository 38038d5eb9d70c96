«Yes, and don't ask again» stores the narrowest rule that covers the call, shown before (PR-7): the same command runs unasked next time, another one asks.

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch made.txt", "description": "make it"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "touch made.txt", "description": "make it"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "touch other.txt", "description": "make it"}}]},
  {"text": "all done"}
]}
--- run cutonce --plain "touch it"
--- talk
< answer:
> 2
< answer:
> 3
< all done
> /exit
--- stdout
--- disk
