"""An MCP server with a real authorization server (PyPI `mcp`): `oauth.py KIND LOG`; prints its port, then serves.

good: clients register themselves. given: only the client «mine» with the secret «client-secret-0003» may log in.
brief: tokens expire at once. The only user is alice, who must press the button of a page.
"""
import logging, secrets, socket, sys, time, warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
import uvicorn
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, TokenError, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from starlette.responses import HTMLResponse, RedirectResponse

kind, log_file = sys.argv[1], sys.argv[2]
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
base = f"http://127.0.0.1:{listener.getsockname()[1]}"


def log(what):
    with open(log_file, "a") as file:
        file.write(what + "\n")


class Provider:
    def __init__(self):
        self.clients, self.waiting, self.codes, self.access, self.refresh = {}, {}, {}, {}, {}
        if kind == "given":
            self.clients["mine"] = OAuthClientInformationFull(
                client_id="mine", client_secret="client-secret-0003", redirect_uris=["http://127.0.0.1:7777/callback"],
                grant_types=["authorization_code", "refresh_token"], token_endpoint_auth_method="client_secret_post", scope="notes")

    async def get_client(self, client_id):
        client = self.clients.get(client_id)
        if client and kind == "given":
            return Loopback.model_validate(client.model_dump())
        return client

    async def register_client(self, client):
        log(f"register {client.client_name} {client.redirect_uris[0]} {client.token_endpoint_auth_method}")
        self.clients[client.client_id] = client

    async def authorize(self, client, params):
        key = secrets.token_hex(20)
        self.waiting[key] = (client.client_id, params)
        return f"{base}/login?key={key}"

    def allow(self, key):
        client_id, params = self.waiting.pop(key)
        code = AuthorizationCode(
            code="code-" + secrets.token_hex(20), client_id=client_id, scopes=params.scopes or ["notes"], expires_at=time.time() + 60,
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri, resource=params.resource,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly)
        self.codes[code.code] = code
        log(f"allow {params.resource}")
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client, code):
        return self.codes.get(code)

    def issue(self, client_id, scopes, resource):
        access, refresh = "access-" + secrets.token_hex(20), "refresh-" + secrets.token_hex(20)
        self.access[access] = AccessToken(token=access, client_id=client_id, scopes=scopes, resource=resource)
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes, resource=resource)
        log(f"issue {access} {refresh}")
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=1 if kind == "brief" else 3600, scope=" ".join(scopes))

    async def exchange_authorization_code(self, client, code):
        del self.codes[code.code]
        log("exchange code")
        return self.issue(client.client_id, code.scopes, code.resource)

    async def load_refresh_token(self, client, token):
        return self.refresh.get(token)

    async def exchange_refresh_token(self, client, token, scopes):
        # A refresh token works once.
        if self.refresh.pop(token.token, None) is None:
            raise TokenError("invalid_grant")
        log("exchange refresh")
        return self.issue(client.client_id, scopes, token.resource)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        pass


class Loopback(OAuthClientInformationFull):
    """A native client may use any loopback port (RFC 8252, 7.3)."""

    def validate_redirect_uri(self, uri):
        assert uri.host == "127.0.0.1"
        return uri


provider = Provider()
auth = AuthSettings(
    issuer_url=base, resource_server_url=f"{base}/mcp", required_scopes=["notes"], validate_token_resource=True,
    client_registration_options=ClientRegistrationOptions(enabled=kind != "given", valid_scopes=["notes"], default_scopes=["notes"]))
server = MCPServer("notes", auth=auth, auth_server_provider=provider)


@server.tool()
def whoami() -> str:
    """Says who is logged in."""
    return "alice"


@server.tool()
def leak() -> str:
    """Repeats the token that it was given."""
    return "the token is " + get_access_token().token


@server.tool()
def forget() -> str:
    """Makes every access token invalid."""
    provider.access.clear()
    return "forgotten"


@server.tool()
def lock_out() -> str:
    """Makes every token invalid."""
    provider.access.clear()
    provider.refresh.clear()
    return "locked out"


@server.custom_route("/login", methods=["GET", "POST"])
async def login(request):
    key = request.query_params["key"]
    if request.method == "POST":
        return RedirectResponse(provider.allow(key), status_code=303)
    return HTMLResponse('<form method="post"><button>Allow cutonce, alice?</button></form>')


print(listener.getsockname()[1], flush=True)
app = server.streamable_http_app()
uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on")).run(sockets=[listener])
