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
< waiting for your approval
< failed: 
--- shows
 MCP servers of this session
› demo  waiting for your approval
  gone  failed: program "no-such-program" not found

  stdio: python3 server.py
  from   project

  This project wants to run it on your machine with your permissions. Approve
  only servers you trust.














 a approve and start · esc back

--- keys
press a
< connected · 1 tool
--- shows
 MCP servers of this session
› demo  connected · 1 tool
  gone  failed: program "no-such-program" not found

  stdio: python3 server.py
  from   project
  name   demo 3

  mcp__demo__look (read-only): Looks  around.














 r restart · x revoke approval · esc back

--- keys
press x
< waiting for your approval
press esc
gone waiting for your approval
press ctrl+d
--- exit 0
