A fork has its agents, too (SA-1, SE-4): one that ended is resumed from the fork and knows all it knew. What it does there goes into the
fork's own sidechain; the original's agent does not see it and can be resumed as it was.

--- model
{"turns": [
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "count", "prompt": "Count to three.", "subagent_type": "general-purpose"}}]},
  {"when": "You carry out a task", "text": "one two three"},
  {"when": "You are cutonce", "text": "Counted."},
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "count on", "prompt": "Count on.", "resume": "{agent}"}}]},
  {"when": "Count to three.", "text": "four five six"},
  {"when": "You are cutonce", "text": "Counted on in the fork."},
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "count on", "prompt": "Count back.", "resume": "{agent}"}}]},
  {"when": "four five six", "text": "the fork was seen"},
  {"when": "Count to three.", "text": "three two one"},
  {"when": "You are cutonce", "text": "Counted back."}
]}
--- run cutonce -p "go" --session-id 019a0000-0000-7000-8000-00000000dddd
--- stdout
Counted.
--- run cutonce -p "go on" --resume 019a0000-0000-7000-8000-00000000dddd --fork-session
--- stdout
Counted on in the fork.
--- run cutonce -p "go back" --resume 019a0000-0000-7000-8000-00000000dddd
--- stdout
Counted back.
--- seen
request 1
  user: go
request 2
request 3
  assistant: call Agent {"description":"count","prompt":"Count to three.","subagent_type":"general-purpose"}
  user: result: one two three
        
        agentId: <id> (resume it with this id if there is more to do)
request 4
  assistant: Counted.
  user: go on
request 5
  user: Count to three.
  assistant: one two three
  user: Count on.
request 6
  assistant: Counted.
  user: go on
  assistant: call Agent {"description":"count on","prompt":"Count on.","resume":"<id>"}
  user: result: four five six
        
        agentId: <id> (resume it with this id if there is more to do)
request 7
  user: go
  assistant: call Agent {"description":"count","prompt":"Count to three.","subagent_type":"general-purpose"}
  user: result: one two three
        
        agentId: <id> (resume it with this id if there is more to do)
  assistant: Counted.
  user: go back
request 8
  user: Count to three.
  assistant: one two three
  user: Count back.
request 9
  assistant: Counted.
  user: go back
  assistant: call Agent {"description":"count on","prompt":"Count back.","resume":"<id>"}
  user: result: three two one
        
        agentId: <id> (resume it with this id if there is more to do)

