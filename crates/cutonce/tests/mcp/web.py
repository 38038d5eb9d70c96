"""An MCP server over HTTP that misbehaves: `web.py KIND`; prints its port, then serves until it is killed."""
import http.server, json, sys

kind = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(405, b"")

    def do_DELETE(self):
        self.answer(405, b"")

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, number = message.get("method"), message.get("id")
        if kind == "locked" and self.headers.get("Authorization") != "Bearer right":
            return self.answer(401, b"who are you?", [("WWW-Authenticate", "Bearer")])
        if kind == "elsewhere":
            return self.answer(307, b"", [("Location", "http://127.0.0.1:9/stolen")])
        if kind == "page":
            page = b"<!DOCTYPE HTML>\n<html>\n<title>Sign in</title>\n<p>" + b"x" * 5000
            return self.answer(502, page)
        if number is None:
            return self.answer(202, b"")
        if method == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": kind, "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
        elif kind == "endless":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b" " * (1 << 20))
            except OSError:
                return
        else:
            result = {"content": [{"type": "text", "text": "seen"}]}
        self.answer(200, json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
