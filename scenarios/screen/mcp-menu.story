`/mcp` (HO-6, UI-9): a project's server waits until the user agrees to it, starts then and shows its tools; the agreement is taken back by a key; a server that can't start says why.

--- file server.py
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "demo", "version": "3"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "look", "description": "Looks \u001b[2J around.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
--- file .mcp.json
{"mcpServers": {"demo": {"command": "python3", "args": ["server.py"]}}}
--- file ~/.cutonce/settings.json
{"mcpServers": {"gone": {"command": "no-such-program"}}}
--- model
{"turns": [{"text": "Hi."}]}
--- pty 80x24 cutonce
--- keys
< claude-
> /mcp
press enter
< waits until you agree to it
< failed: 
--- shows
 MCP servers of this session
› demo  waits until you agree to it
  gone  failed: there is no program "no-such-program"

  stdio: python3 server.py
  from   project

  This project would start it on your machine, with your rights. Agree only to
  what you know.














 a agree and start · esc back

--- keys
press a
< connected · 1 tool
--- shows
 MCP servers of this session
› demo  connected · 1 tool
  gone  failed: there is no program "no-such-program"

  stdio: python3 server.py
  from   project
  says   it is demo 3

  mcp__demo__look (reads): Looks  around.














 r start anew · x take your agreement back · esc back

--- keys
press x
< waits until you agree to it
press esc
gone waits until you agree to it
press ctrl+d
--- exit 0
