«Don't ask again» has scopes (DU-2): the call or its prefix, in this project or in this session. A session rule is stored nowhere and ends with the session. A command whose argument is code has no prefix scope. The local settings are kept out of git.

--- sh
git init -q .
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "mkdir a", "description": "make it"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "mkdir b", "description": "make it"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "python3 -c 'pass'", "description": "run it"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "touch c", "description": "make it"}}]},
  {"text": "all done"}
]}
--- run cutonce --plain "make them"
--- talk
< answer:
> 2c
< answer:
> 3
< answer:
> 2b
< all done
< >
> /exit
--- stdout

? Bash wants to run: File commands need your OK in default mode (`mkdir a`)
  | mkdir a
  1 yes
  2 yes, and don't ask again here for Bash(mkdir a) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(mkdir a)
  2b yes, and don't ask again here for Bash(mkdir:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(mkdir:*)
  3 no (add text to tell the agent why)
answer: 
? Bash wants to run: Commands that may change things need your OK in default mode (`python3 -c pass`)
  | python3 -c 'pass'
  1 yes
  2 yes, and don't ask again here for Bash(python3 -c pass) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(python3 -c pass)
  3 no (add text to tell the agent why)
answer: 
? Bash wants to run: File commands need your OK in default mode (`touch c`)
  | touch c
  1 yes
  2 yes, and don't ask again here for Bash(touch c) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Bash(touch c)
  2b yes, and don't ask again here for Bash(touch:*) (stored in .cutonce/settings.local.json)
  2c yes, and don't ask again in this session for Bash(touch:*)
  3 no (add text to tell the agent why)
answer: all done

>

--- sh
grep -qF '**/.cutonce/settings.local.json' .git/info/exclude
test -z "$(git status --porcelain .cutonce)"
grep -qF 'Bash(touch:*)' .cutonce/settings.local.json
! grep -q mkdir .cutonce/settings.local.json
