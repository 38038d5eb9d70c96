«Yes, and don't ask again» stores the narrowest rule that covers the call, shown before (PR-7): the same command runs unasked next time, another one asks. It holds after a
restart as the dialog said, though this folder is not trusted; a rule that came with the project still waits (PR-2).

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
< >
> /exit
--- stdout

? Bash wants to run: default mode asks before this: plain file command that writes only in the workspace (`touch made.txt`)
  | touch made.txt
  1 yes
  2 yes, and don't ask again for Bash(touch made.txt)
  3 no (words after it go to the agent)
answer: 
? Bash wants to run: default mode asks before this: plain file command that writes only in the workspace (`touch other.txt`)
  | touch other.txt
  1 yes
  2 yes, and don't ask again for Bash(touch other.txt)
  3 no (words after it go to the agent)
answer: all done

>

--- disk

--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch made.txt", "description": "make it"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "touch other.txt", "description": "make it"}}]},
  {"text": "second time"}
]}
--- sh
sed -i 's/"Bash(touch made.txt)"/"Bash(touch made.txt)", "Bash(touch other.txt)"/' .cutonce/settings.local.json
--- run cutonce -p "again"
--- exit 0
--- stderr

--- transcript

