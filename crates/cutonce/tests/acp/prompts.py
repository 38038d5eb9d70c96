"""A small MCP server with one prompt and no tools."""
import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if number is None:
        continue
    result = {}
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"prompts": {}, "tools": {}}, "serverInfo": {"name": "letters", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": []}
    elif method == "prompts/list":
        result = {"prompts": [{"name": "write", "description": "Writes", "arguments": [{"name": "to", "required": True}]}]}
    elif method == "prompts/get":
        text = f"Write a letter to {asked['params']['arguments']['to']}."
        result = {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
