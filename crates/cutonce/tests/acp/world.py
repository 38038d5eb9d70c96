"""What every script here uses: a throwaway workspace, the scripted model as a server, cutonce over real pipes, and an
editor made from the official client. `main` runs the `test_*` functions of a script; the first failure ends it.
TEST_ONLY selects those that begin with it, and TEST_SETTINGS are the user's settings in all of them."""

import asyncio
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

from acp import RequestError, image_block, resource_block, spawn_agent_process, text_block  # noqa: F401
from acp.schema import (
    AcceptElicitationResponse,
    AllowedOutcome,
    ClientCapabilities,
    DeclineElicitationResponse,
    DeniedOutcome,
    ElicitationCapabilities,
    ElicitationFormCapabilities,
    FileSystemCapabilities,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

BINARY = os.environ["CUTONCE_BINARY"]
WAIT = 60


class Editor:
    """Records all updates and answers requests from `answers`: an option's id, None (cancelled), an
    exception, or a function that gets the request and returns one of these."""

    def __init__(self):
        self.updates = []
        self.asked = []
        self.answers = []
        self.changed = asyncio.Event()
        self.buffers = {}
        self.reads = []
        self.writes = []
        self.fs_fails = False

    def on_connect(self, connection):
        pass

    async def session_update(self, session_id, update, **_):
        self.updates.append((session_id, update.model_dump(by_alias=True, exclude_none=True)))
        self.changed.set()

    async def request_permission(self, options, session_id, tool_call, **_):
        call = tool_call.model_dump(by_alias=True, exclude_none=True)
        self.asked.append({"session": session_id, "call": call, "options": options})
        self.changed.set()
        answer = self.answers.pop(0) if self.answers else None
        if callable(answer):
            answer = answer(self.asked[-1])
            if asyncio.iscoroutine(answer):
                answer = await answer
        meta = None
        if isinstance(answer, tuple):
            answer, meta = answer
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=answer, field_meta=meta)
        return RequestPermissionResponse(outcome=outcome)

    async def create_elicitation(self, message, mode, **_):
        self.asked.append({"message": message, "schema": mode.requested_schema.model_dump(by_alias=True, exclude_none=True)})
        self.changed.set()
        answer = self.answers.pop(0)
        if answer is None:
            return DeclineElicitationResponse(action="decline")
        return AcceptElicitationResponse(action="accept", content=answer)

    async def read_text_file(self, path, session_id, line=None, limit=None, **_):
        self.reads.append(path)
        if self.fs_fails:
            raise RequestError.internal_error()
        if path in self.buffers:
            return ReadTextFileResponse(content=self.buffers[path])
        return ReadTextFileResponse(content=pathlib.Path(path).read_text())

    async def write_text_file(self, content, path, session_id, **_):
        self.writes.append(path)
        if self.fs_fails:
            raise RequestError.internal_error()
        self.buffers.pop(path, None)
        pathlib.Path(path).write_text(content)
        return WriteTextFileResponse()

    async def ext_method(self, method, params):
        return {}

    async def ext_notification(self, method, params):
        pass

    # What came, by kind.

    def kinds(self, session=None):
        return [u["sessionUpdate"] for s, u in self.updates if session in (None, s)]

    def of(self, kind, session=None):
        return [u for s, u in self.updates if u["sessionUpdate"] == kind and session in (None, s)]

    def said(self, kind="agent_message_chunk", session=None):
        return "".join(u["content"].get("text", "") for u in self.of(kind, session))

    def modes(self):
        return [u["currentModeId"] for u in self.of("current_mode_update")]

    def call(self, title):
        """A call with all its updates folded in."""
        begun = [u for u in self.of("tool_call") if title in u["title"]]
        assert begun, (title, [u["title"] for u in self.of("tool_call")])
        folded = dict(begun[-1])
        folded["statuses"] = [folded.get("status", "pending")]
        for update in self.of("tool_call_update"):
            if update["toolCallId"] == folded["toolCallId"]:
                folded.update(update)
                if "status" in update:
                    folded["statuses"].append(update["status"])
        return folded

    async def until(self, true):
        """Waits for something to have come."""

        async def wait():
            while not true():
                self.changed.clear()
                await self.changed.wait()

        await asyncio.wait_for(wait(), WAIT)


class World:
    def __init__(self):
        self.dir = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="cutonce-acp-")))
        self.ws = self.dir / "ws"
        self.ws.mkdir()
        self.home = self.dir / "home"
        self.home.mkdir()
        self.settings(**json.loads(os.environ.get("TEST_SETTINGS", "{}")))
        self.editor = None
        self.process = None
        self.server = None

    def settings(self, **settings):
        (self.home / "settings.json").write_text(json.dumps(settings))

    def tree(self):
        return {str(p.relative_to(self.ws)): p.read_text() for p in sorted(self.ws.rglob("*")) if p.is_file()}

    def env(self, **more):
        env = {"HOME": str(self.dir), "CUTONCE_HOME": str(self.home), "PATH": os.environ["PATH"]}
        return env | more

    def run(self, *args):
        """Another command of the program, in the workspace."""
        return subprocess.run([BINARY, *args], cwd=self.ws, env=self.env(), capture_output=True, text=True, timeout=WAIT)

    @contextlib.asynccontextmanager
    async def model(self, turns):
        """The scripted model on a socket. Requests are in `requests` when it has ended."""
        script, record = self.dir / "model.json", self.dir / "requests"
        script.write_text(json.dumps({"turns": turns}))
        shutil.rmtree(record, ignore_errors=True)
        server = await asyncio.create_subprocess_exec(
            BINARY, "scenario-server", str(script), "--record", str(record),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=self.env(),
        )
        line = (await asyncio.wait_for(server.stdout.readline(), WAIT)).decode()
        self.server = line.removeprefix("listening on ").strip()
        try:
            yield
        finally:
            server.stdin.close()
            await asyncio.wait_for(server.wait(), WAIT)
            self.requests = [json.loads(p.read_text()) for p in sorted(record.glob("*.json"))]

    @contextlib.asynccontextmanager
    async def agent(self, *args, fs=False, forms=False, init=True, env=None, limit=64 << 20):
        self.editor = Editor()
        given = {"ANTHROPIC_BASE_URL": f"http://{self.server}", "ANTHROPIC_API_KEY": "sk-ant-acp-test-0001"}
        env = self.env(**(given if env is None else env))
        async with spawn_agent_process(
            self.editor, BINARY, "acp", *args, env=env, cwd=self.ws, use_unstable_protocol=forms,
            transport_kwargs={"stderr": None, "limit": limit, "shutdown_timeout": 20.0},
        ) as (connection, process):
            self.process = process
            if init:
                files = FileSystemCapabilities(read_text_file=fs, write_text_file=fs)
                shown = ElicitationCapabilities(form=ElicitationFormCapabilities()) if forms else None
                can = ClientCapabilities(fs=files, elicitation=shown)
                await connection.initialize(protocol_version=1, client_capabilities=can)
            yield connection

    @contextlib.asynccontextmanager
    async def session(self, turns, mode=None, *args, **more):
        """A model with these turns, the agent with these arguments, and one session in this mode."""
        async with self.model(turns), self.agent(*args, **more) as connection:
            yield connection, await self.new(connection, mode)

    async def new(self, connection, mode=None):
        session = (await connection.new_session(cwd=str(self.ws), mcp_servers=[])).session_id
        if mode:
            await connection.set_session_mode(session_id=session, mode_id=mode)
        return session

    def told_model(self):
        """All that the model was sent in its last request."""
        return json.dumps(self.requests[-1])


async def say(connection, session, text, **more):
    return await connection.prompt(session_id=session, prompt=[text_block(text)], **more)


def write(path, content):
    return {"name": "Write", "input": {"file_path": path, "content": content}}


def bash(command):
    return {"name": "Bash", "input": {"command": command, "description": "d"}}


EXIT = {"name": "ExitPlanMode", "input": {}}


async def refused(awaitable, code=None):
    """The error that it must end with."""
    try:
        done = await awaitable
    except RequestError as error:
        assert code is None or error.code == code, (error.code, str(error))
        return error
    raise AssertionError(f"expected an error, got {done}")


def main(tests):
    wanted = os.environ.get("TEST_ONLY", "test_")
    found = [(name, test) for name, test in tests.items() if name.startswith(wanted)]
    assert found, "no tests in this script"
    for name, test in found:
        world = World()
        try:
            asyncio.run(asyncio.wait_for(test(world), WAIT * 3))
        except BaseException:
            traceback.print_exc()
            for _, update in (world.editor.updates if world.editor else []):
                print("  ", json.dumps(update)[:300], file=sys.stderr)
            print(f"FAILED {name} ({world.dir})", file=sys.stderr)
            sys.exit(1)
        shutil.rmtree(world.dir, ignore_errors=True)
        print(f"ok {name}")
