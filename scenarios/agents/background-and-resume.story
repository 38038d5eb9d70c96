A background agent reports its answer as a message when it ends; in a headless run the turn waits for it (SA-1). A finished agent is resumed by its id
and keeps its conversation. Rules name agents (PR-1).

--- model
{"turns": [
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "count", "prompt": "Count to three.", "subagent_type": "general-purpose", "run_in_background": true}}]},
  {"when": "You are cutonce", "text": "I go on meanwhile."},
  {"when": "You carry out a task", "text": "one two three"},
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "count on", "prompt": "Count on.", "resume": "{agent}"}}]},
  {"when": "Count to three.", "text": "four five six"},
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "x", "prompt": "x", "subagent_type": "Explore"}}, {"name": "Agent", "input": {"description": "x", "prompt": "x", "resume": "../../etc"}}]},
  {"when": "You are cutonce", "text": "All counted."}
]}
--- run cutonce -p "go" --disallowedTools "Agent(Explore)"
--- exit 0
--- stdout
All counted.

--- transcript
session {}
user {"text":"go"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Agent","input":{"description":"count","prompt":"Count to three.","subagent_type":"general-purpose","run_in_background":true}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Agent","input":{"description":"count","prompt":"Count to three.","subagent_type":"general-purpose","run_in_background":true},"output":[{"type":"text","text":"Started in the background. agentId: <id>\nContinue with other work; its answer arrives as a message when it has ended. Do not wai…"}],"isError":false,"decision":{"behavior":"allow","reason":"Subagents are allowed in default mode"}}
assistant {"blocks":[{"type":"text","text":"I go on meanwhile."}],"stop":"end_turn"}
user {"text":"<system-reminder>\nThe general-purpose agent <id> (\"count\"), which ran in the background, has ended. Its answer is a report, not …","meta":true}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Agent","input":{"description":"count on","prompt":"Count on.","resume":"<id>"}}],"stop":"tool_use"}
tool {"callId":"toolu_0004_00","name":"Agent","input":{"description":"count on","prompt":"Count on.","resume":"<id>"},"output":[{"type":"text","text":"four five six\n\nagentId: <id> (resume it with this id if there is more to do)"}],"isError":false,"decision":{"behavior":"allow","reason":"Subagents are allowed in default mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0006_00","name":"Agent","input":{"description":"x","prompt":"x","subagent_type":"Explore"}},{"type":"tool_use","id":"toolu_0006_01","name":"Agent","input":{"description":"x","prompt":"x","resume":"../../etc"}}],"stop":"tool_use"}
tool {"callId":"toolu_0006_00","name":"Agent","input":{"description":"x","prompt":"x","subagent_type":"Explore"},"output":[{"type":"text","text":"Agent with Explore is denied by the rule `Agent(Explore)` from the command line. Do not try to work around this. Continue without it, or tell the user why you n…"}],"isError":true,"decision":{"behavior":"deny","reason":"denied by the rule `Agent(Explore)` from the command line","rule":"Agent(Explore)","source":"commandLine"}}
tool {"callId":"toolu_0006_01","name":"Agent","input":{"description":"x","prompt":"x","resume":"../../etc"},"output":[{"type":"text","text":"Invalid input: `resume`: expected the id of an agent of this session, got `../../etc`."}],"isError":true,"decision":{"behavior":"allow","reason":"not decided: the call could not be made"}}
assistant {"blocks":[{"type":"text","text":"All counted."}],"stop":"end_turn"}

