"""A server whose authorization server misbehaves: `oauth_hostile.py KIND`; prints its port, then serves."""
import http.server, json, sys, urllib.parse

kind = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def endless(self):
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" " * 65536)
        except OSError:
            pass

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_port}"
        path, _, query = self.path.partition("?")
        if path == "/mcp":
            return self.answer(401, b"", [("WWW-Authenticate", f'Bearer resource_metadata="{base}/resource"')] if kind != "none" else [])
        if kind == "none" or kind == "html":
            return self.answer(404 if kind == "none" else 200, b"<html>Welcome</html>")
        if path == "/resource":
            return self.answer(200, json.dumps({"resource": f"{base}/mcp", "authorization_servers": [base]}).encode())
        if path == "/.well-known/oauth-authorization-server":
            if kind == "endless":
                return self.endless()
            if kind == "elsewhere":
                return self.answer(307, b"", [("Location", "http://attacker.example/metadata")])
            metadata = {"issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
                        "registration_endpoint": f"{base}/register", "response_types_supported": ["code"],
                        "code_challenge_methods_supported": ["S256"]}
            metadata.update({
                "issuer": {"issuer": "http://127.0.0.1:1"},
                "plain_http": {"token_endpoint": "http://login.example/token"},
                "script": {"authorization_endpoint": "javascript:alert(1)"},
                "no_pkce": {"code_challenge_methods_supported": ["plain"]},
                "no_registration": {"registration_endpoint": None},
                "late_issuer": {"authorization_response_iss_parameter_supported": True},
            }.get(kind, {}))
            return self.answer(200, json.dumps(metadata).encode())
        if path == "/authorize":
            asked = dict(urllib.parse.parse_qsl(query))
            back = {"code": "code-1", "state": asked["state"]}
            back.update({
                "state": {"state": "forged"},
                "denied": {"error": "access_denied", "error_description": "not \x1b[31mtoday"},
                "late_issuer": {"iss": "http://127.0.0.1:1"},
            }.get(kind, {}))
            return self.answer(302, b"", [("Location", asked["redirect_uri"] + "?" + urllib.parse.urlencode(back))])
        self.answer(404)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/register" and kind == "refuses":
            return self.answer(403, b'{"error": "invalid_client_metadata"}')
        if self.path == "/register":
            return self.answer(201, json.dumps({"client_id": "c", "redirect_uris": ["http://127.0.0.1:1/x"]}).encode())
        if self.path == "/token" and kind == "flood":
            return self.endless()
        if self.path == "/token" and kind == "moves":
            return self.answer(307, b"", [("Location", "http://127.0.0.1:9/token")])
        if self.path == "/token":
            return self.answer(400, b'{"error": "invalid_grant", "error_description": "no such code"}')
        self.answer(401, b"", [("WWW-Authenticate", "Bearer")])


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
