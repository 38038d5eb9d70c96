When standard input ends, an open question is denied and the program ends (AG-4, PR-3).

--- model
{"turns": [{"calls": [{"name": "Bash", "input": {"command": "touch made.txt", "description": "make it"}}]}, {"text": "never said"}]}
--- run cutonce --plain "touch it"
--- exit 1
--- disk
nothing changed

--- transcript
session {}
user {"text":"touch it"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"touch made.txt","description":"make it"}}],"stop":"tool_use"}
ask {"askId":"<id>","kind":"permission"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"touch made.txt","description":"make it"},"output":[{"type":"text","text":"Not run: the user interrupted before it was allowed."}],"isError":true,"decision":{"behavior":"deny","reason":"the user interrupted"}}
user {"text":"[Request interrupted by user for tool use]","meta":true}

