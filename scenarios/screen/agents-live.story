Subagents while they work (UI-14): each a line with its name, what it does now, calls, tokens and time; Ctrl+T shows what it did before; its end is one line of the conversation, and Ctrl+O has all it did.

--- file src/a.txt
alpha is here
--- model
{"turns": [
  {"when": "You are cutonce", "text": "Two agents.", "calls": [
    {"name": "Agent", "input": {"description": "find alpha", "prompt": "Where is alpha?", "subagent_type": "general-purpose"}},
    {"name": "Agent", "input": {"description": "find beta", "prompt": "Where is beta?", "subagent_type": "general-purpose"}}]},
  {"when": "You are cutonce", "text": "Both were found."},
  {"when": "Where is alpha?", "calls": [{"name": "Grep", "input": {"pattern": "alpha", "output_mode": "content"}}]},
  {"when": "Where is alpha?", "calls": [{"name": "Bash", "input": {"command": "until test -e go1; do sleep 0.05; done", "description": "wait"}}]},
  {"when": "Where is alpha?", "text": "In src/a.txt:1."},
  {"when": "Where is beta?", "calls": [{"name": "Bash", "input": {"command": "until test -e go2; do sleep 0.05; done", "description": "wait"}}]},
  {"when": "Where is beta?", "text": "There is no beta."}
]}
--- pty 80x24 cutonce --allowedTools Bash
--- keys
< claude-
> find both
press enter
< general-purpose: find alpha · Bash until
< general-purpose: find beta · Bash until
< 2 calls · 
< 1 call · 
< Running 2 agents
press ctrl+t
<     Grep alpha
<     Bash until test -e go1; do sleep 0.05; done
<     Bash until test -e go2; do sleep 0.05; done
press ctrl+t
gone     Grep alpha
! touch go1
< ● Agent general-purpose: find alpha
! touch go2
< Both were found.
gone interrupt
--- shows
> find both

● Two agents.

● Agent general-purpose: find alpha  2 calls · <n> tokens
● Agent general-purpose: find beta  1 call · <n> tokens

● Both were found.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+o
< Conversation
> g/Grep
press enter
< general-purpose › Grep alpha
press q
gone general-purpose › Grep alpha
press ctrl+d
--- exit 0
