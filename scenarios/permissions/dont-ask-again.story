"Yes, and don't ask again" stores the narrowest rule that covers the call, as the dialog showed it (PR-7). The same command then runs without asking,
another one asks. The rule applies after a restart, although this folder is not trusted; a rule of the project still needs trust (PR-2).

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

? Bash wants to run: File commands need your OK in default mode (`touch made.txt`)
  | touch made.txt
  1 yes
  2 yes, and don't ask again here for Bash(touch made.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch made.txt)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: 
? Bash wants to run: File commands need your OK in default mode (`touch other.txt`)
  | touch other.txt
  1 yes
  2 yes, and don't ask again here for Bash(touch other.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch other.txt)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: all done

>

--- disk
created .cutonce/settings.local.json
  {
    "permissions": {
      "allow": [
        "Bash(touch made.txt)"
      ]
    }
  }
created made.txt

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
cutonce: Ignored until you trust this folder: allow rules. Trust it with /trust or `cutonce trust`.

--- transcript
session {}
user {"text":"again"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"touch made.txt","description":"make it"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"touch made.txt","description":"make it"},"output":[{"type":"text","text":"(no output)"}],"isError":false,"decision":{"behavior":"allow","reason":"allowed by the rule `Bash(touch made.txt)` from .cutonce/settings.local.json","rule":"Bash(touch made.txt)","source":"local"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"touch other.txt","description":"make it"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"touch other.txt","description":"make it"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"File commands need your OK in default mode (`touch other.txt`); this session can't ask"}}
assistant {"blocks":[{"type":"text","text":"second time"}],"stop":"end_turn"}

