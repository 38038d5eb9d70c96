The program is killed while an agent works (SA-1, AG-4). The agent's transcript survives; after a resume the model learns of it, and the agent
continues where it stopped.

--- model
{"turns": [
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "long work", "prompt": "Work long.", "subagent_type": "general-purpose"}}]},
  {"when": "You carry out a task", "text": "Half is done.", "calls": [{"name": "Bash", "input": {"command": "sleep 300", "description": "wait"}}]},
  {"when": "You are cutonce", "calls": [{"name": "Agent", "input": {"description": "go on", "prompt": "Go on.", "resume": "{agent}"}}]},
  {"when": "You carry out a task", "text": "The other half too."},
  {"when": "You are cutonce", "text": "All is done."}
]}
--- run cutonce --plain --permission-mode bypassPermissions "go"
--- talk
< Bash
! kill -9 $PID
--- run cutonce -p "go on" --continue --permission-mode bypassPermissions
--- exit 0
--- stdout
All is done.

--- seen
request 1
  user: go
request 2
request 3
  assistant: call Agent {"description":"long work","prompt":"Work long.","subagent_type":"general-purpose"}
  user: error: interrupted: the program ended before this call finished
  user: <system-reminder>
        The program ended while these agents were working for you. Their work is kept. If it is still needed, continue them with `resume`:
        - general-purpose agent, "long work", agentId: <id>
        </system-reminder>
  user: go on
request 4
request 5
  assistant: call Agent {"description":"go on","prompt":"Go on.","resume":"<id>"}
  user: result: The other half too.
        
        agentId: <id> (resume it with this id if there is more to do)

