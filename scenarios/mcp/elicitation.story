An MCP server asks the user during a call (DU-10): as questions on the terminal, also in plan mode, where it lifts no right; as plain lines; a wrong
answer is asked again; Esc declines. Without a user it is declined with a note. A form that can't be shown is refused.

--- file server.py
import json, sys
SCHEMA = {"type": "object", "required": ["room", "guests"], "properties": {
    "room": {"type": "string", "title": "Room", "enum": ["n", "s"], "enumNames": ["North", "South"]},
    "guests": {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 4}, "note": {"type": "string", "title": "Note"}}}
BAD = {"type": "object", "properties": {"deep": {"type": "object", "properties": {}}}}
def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "hotel", "version": "1"}}
    elif method == "tools/list":
        hint = {"readOnlyHint": True}
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}, "annotations": hint} for name in ["book", "broken"]] + [{"name": "pay", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        schema = BAD if params["name"] == "broken" else SCHEMA
        send({"id": "q", "method": "elicitation/create", "params": {"message": "Which room?\u001b[31m", "requestedSchema": schema}})
        answer = json.loads(sys.stdin.readline())
        result = {"content": [{"type": "text", "text": json.dumps(answer.get("result") or answer["error"])}]}
    else:
        continue
    send({"id": message["id"], "result": result})
--- run cutonce mcp add hotel -- python3 server.py
--- exit 0
--- file ~/.cutonce/settings.json
{"mcp": {"firstWaitMs": 20000}, "permissions": {"allow": ["mcp__hotel"]}}
--- model
{"turns": [
  {"calls": [{"name": "mcp__hotel__book", "input": {}}]},
  {"calls": [{"name": "mcp__hotel__pay", "input": {}}]},
  {"text": "Booked."},
  {"calls": [{"name": "mcp__hotel__book", "input": {}}]},
  {"text": "Not booked."},
  {"calls": [{"name": "mcp__hotel__book", "input": {}}]},
  {"text": "No user."},
  {"calls": [{"name": "mcp__hotel__broken", "input": {}}]},
  {"text": "Bad form."},
  {"calls": [{"name": "mcp__hotel__book", "input": {}}]},
  {"text": "Booked in lines."}
]}
--- pty 80x24 cutonce --permission-mode plan
--- keys
< ›
> book a room
press enter
< Which room?
--- shows
> book a room

⠋ mcp__hotel__book {}

? hotel 1 of 3
  The MCP server hotel asks: Which room? Room
› 1 North
  2 South
  3 in your own words
  enter or a digit chooses · ← back · ctrl+o all · esc skips

⏸ plan mode on (shift+tab to cycle) · understand  claude-sonnet-5-5 · <n>%

--- keys
press 2
< 2 of 3
> 9
press enter
< 3 of 3
press 1
< Your answers
press enter
< expected a whole number
--- shows
> book a room

⠋ mcp__hotel__book {}

? hotel
  «Guests»: expected a whole number from 1 to 4. The MCP server hotel asks:
  Guests (a whole number from 1 to 4)
    own words:
  enter confirms this answer · esc skips

⏸ plan mode on (shift+tab to cycle) · understand  claude-sonnet-5-5 · <n>%

--- keys
> 3
press enter
< Your answers
--- shows
> book a room

⠋ mcp__hotel__book {}

? Your answers
  «Guests»: expected a whole number from 1 to 4. The MCP server hotel asks: Gu…
  → 3
  enter sends these answers · ← back · esc skips all questions

⏸ plan mode on (shift+tab to cycle) · understand  claude-sonnet-5-5 · <n>%

--- keys
press enter
< Booked.
> again
press enter
< Which room?
press esc
< Not booked.
press ctrl+d
--- exit 0
--- seen
request 1
  user: book a room
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Ask the user with AskUserQuestion about what is still open.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call mcp__hotel__book {}
  user: result: {"action": "accept", "content": {"room": "s", "guests": 3}}
request 3
  assistant: call mcp__hotel__pay {}
  user: error: mcp__hotel__pay is not allowed in plan mode. Plan mode is read-only. Only tools that their server marks as read-only may run.
request 4
  assistant: Booked.
  user: again
request 5
  assistant: call mcp__hotel__book {}
  user: result: {"action": "decline"}

--- run cutonce -p go
--- stdout
No user.

--- stderr
cutonce: The MCP server hotel asks: Which room? No user can answer here, so it was declined.

--- run cutonce -p go
--- stdout
Bad form.

--- stderr
cutonce: A question of the MCP server hotel was declined: its form can't be shown: "deep" is "object", not a text, number, yes or no, or choice.

--- run cutonce --plain
--- talk
< >
> book
< Which room?
> 1
< Guests
> 2
< Note
> sea view
< Your answers
> y
< Booked in lines.
< >
> /exit
--- stdout

> 
? hotel (1 of 3): The MCP server hotel asks: Which room? Room
  1 North
  2 South
  0 skip all of them
answer (a number, or your own text, =17 for the text 17): 
? hotel (2 of 3): Guests (a whole number from 1 to 4)
  0 skip all of them
answer (your own text, =0 for the text 0; `back` for the previous): 
? hotel (3 of 3): Note
  1 Leave empty
  0 skip all of them
answer (a number, or your own text, =17 for the text 17; `back` for the previous): 
? Your answers:
  1 hotel: North
  2 hotel: 2
  3 hotel: sea view
  0 skip all of them
answer (enter sends, a number changes that answer): Booked in lines.

>

--- seen
request 6
  user: go
request 7
  assistant: call mcp__hotel__book {}
  user: result: {"action": "decline"}
request 8
  user: go
request 9
  assistant: call mcp__hotel__broken {}
  user: result: {"code": -32602, "message": "this form can't be shown: \"deep\" is \"object\", not a text, number, yes or no, or choice"}
request 10
  user: book
request 11
  assistant: call mcp__hotel__book {}
  user: result: {"action": "accept", "content": {"room": "n", "guests": 2, "note": "sea view"}}

