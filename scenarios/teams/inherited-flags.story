The lead's command line applies to its teammates, in this process and in their own processes (TM-1): settings with their hooks, MCP servers, agents.
Each teammate is denied by the hook, calls the server's tool, and has the agent of the flag.

--- file server.py
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "demo", "version": "3"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "SERVER-WORDS"}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
--- file hook.py
import json, sys
path = json.load(sys.stdin)["tool_input"].get("file_path", "")
if path.endswith("bad.txt"):
    print("HOOK-WORDS", file=sys.stderr)
    sys.exit(2)
--- model
{"turns": [
  {"when": "for-ann.txt", "text": "Said.", "repeat": 9},
  {"when": "for-bob.txt", "text": "Said.", "repeat": 9},
  {"when": "I am the looker", "text": "LOOKER-WORDS", "repeat": 2},
  {"when": "LOOKER-WORDS", "calls": [{"name": "Write", "input": {"file_path": "$WS/for-ann.txt", "content": "all three\n"}}]},
  {"when": "LOOKER-WORDS", "calls": [{"name": "Write", "input": {"file_path": "$WS/for-bob.txt", "content": "all three\n"}}]},
  {"when": "SERVER-WORDS", "calls": [{"name": "Agent", "input": {"description": "look", "prompt": "Look.", "subagent_type": "looker"}}], "repeat": 2},
  {"when": "HOOK-WORDS", "calls": [{"name": "mcp__demo__look", "input": {}}], "repeat": 2},
  {"when": "You are `ann`", "calls": [{"name": "Write", "input": {"file_path": "$WS/bad.txt", "content": "x"}}]},
  {"when": "You are `bob`", "calls": [{"name": "Write", "input": {"file_path": "$WS/bad.txt", "content": "x"}}]},
  {"when": "Lead ann.", "calls": [{"name": "TeamCreate", "input": {"teamName": "red", "members": [{"name": "ann", "task": "Try it.", "ownProcess": true}]}}]},
  {"when": "Lead bob.", "calls": [{"name": "TeamCreate", "input": {"teamName": "blue", "members": [{"name": "bob", "task": "Try it."}]}}]},
  {"text": "Noted.", "repeat": 9}
]}
--- file servers.json
{"mcpServers": {"demo": {"command": "python3", "args": ["server.py"]}}}
--- run cutonce -p "Lead ann." --permission-mode acceptEdits --allowedTools "mcp__demo__look" --mcp-config servers.json --agents '{"looker": {"description": "looks", "prompt": "I am the looker.", "tools": ["Read"]}}' --settings '{"mcp": {"firstWaitMs": 30000}, "hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "python3 hook.py"}]}]}}'
--- exit 0
--- disk
created for-ann.txt
  all three
--- run cutonce -p "Lead bob." --permission-mode acceptEdits --allowedTools "mcp__demo__look" --mcp-config '{"mcpServers": {"demo": {"command": "python3", "args": ["server.py"]}}}' --agents '{"looker": {"description": "looks", "prompt": "I am the looker.", "tools": ["Read"]}}' --settings '{"mcp": {"firstWaitMs": 30000}, "hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "python3 hook.py"}]}]}}'
--- exit 0
--- disk
created for-bob.txt
  all three
