«Yes, but …» is no yes: words behind a yes would be lost, so that nothing is answered until the yes stands alone or a no carries them (PM-80, UI-5). A comment needs a line that is there.

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "touch one; touch two"}}]},
  {"text": "not done"},
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# Two steps\n\n1. one\n2. two\n"}}]},
  {"calls": [{"name": "ExitPlanMode", "input": {}}]},
  {"text": "only one then"}
]}
--- run cutonce --plain
--- talk
< >
> do both
< answer: 
> yes but not the second one
< takes no words
< answer: 
> 1 and be quick
< takes no words
< answer: 
> 2 for ever
< takes no words
< answer: 
> 3 only the first
< not done
< >
> plan it
< answer 
> c 99 what is this
< There is no line 99
< answer: 
> 1
< Enter confirms
> yes but first remove step 2
< takes no words
< answer: 
> 5 remove step 2
< Enter confirms
> yes
< only one then
< >
> /exit
--- exit 0
--- stdout
--- disk
--- transcript
