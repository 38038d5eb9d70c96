"""Shared by the tests with the Python SDK: their own folders, the scripted model behind a real socket, options."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

BIN = os.environ["CUTONCE_BIN"]
GARDENER = AgentDefinition(description="Knows plants.", prompt="You are the gardener.", tools=["Read", "Write"])

STAGES = []


class Stage:
    """A workspace, a home, and a model that says what the script says."""

    def __init__(self, *turns, home="CUTONCE_HOME"):
        self.root = Path(tempfile.mkdtemp(prefix="sdk-")).resolve()
        self.ws, self.home, self.record = self.root / "ws", self.root / "home", self.root / "seen"
        self.ws.mkdir()
        self.home.mkdir()
        script = self.root / "script.json"
        script.write_text(json.dumps({"turns": list(turns)}))
        self.server = subprocess.Popen(
            [BIN, "scenario-server", str(script), "--record", str(self.record)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = "http://" + self.server.stdout.readline().split()[-1]
        self.home_variable = home
        self.stderr = []
        STAGES.append(self)

    def close(self):
        """The test has passed: nothing of it stays."""
        self.seen()
        shutil.rmtree(self.root, ignore_errors=True)

    def env(self):
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "sk-scripted",
            self.home_variable: str(self.home),
            "HOME": str(self.root),
        }

    def options(self, **more):
        return ClaudeAgentOptions(cli_path=BIN, cwd=self.ws, env=self.env(), stderr=self.stderr.append, **more)

    def seen(self):
        """The requests that the model got; ends the model."""
        if self.server.poll() is None:
            self.server.stdin.close()
            self.server.wait(20)
        return [json.loads(path.read_text()) for path in sorted(self.record.glob("*.json"))]

    def files(self):
        return {str(path.relative_to(self.ws)): path.read_text() for path in sorted(self.ws.rglob("*")) if path.is_file()}

    def plan(self):
        """The plan file of the session."""
        return next(path for path in self.home.rglob("*.md") if path.parent.name == "plans")

    def transcripts(self):
        return sorted(path for path in self.home.rglob("*.jsonl") if "projects" in path.parts)


def call(name, **given):
    return {"calls": [{"name": name, "input": given}]}


def text_of(request):
    """All that one request says to the model, as text."""
    return json.dumps(request["messages"])


async def run(messages):
    """All messages of a query; a failed run gives them too, with the error last."""
    got = []
    try:
        async for message in messages:
            got.append(message)
    except Exception as error:  # the SDK raises after a run that failed
        got.append(error)
    return got


def kinds(messages):
    return [type(message).__name__ for message in messages]


def blocks(messages, kind):
    """Content blocks of one class, in order."""
    found = []
    for message in messages:
        content = getattr(message, "content", None)
        if isinstance(content, list):
            found += [block for block in content if type(block).__name__ == kind]
    return found


def results(messages):
    return [message for message in messages if type(message).__name__ == "ResultMessage"]


async def prompt(*texts):
    for text in texts:
        yield {"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": None, "session_id": "s"}


def bare(stage, *flags):
    """The program as an SDK starts it, without the SDK."""
    command = [BIN, "--output-format", "stream-json", "--verbose", "--input-format", "stream-json", *flags]
    env = {**os.environ, **stage.env()}
    return subprocess.Popen(command, cwd=stage.ws, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def write(process, *messages):
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def frames_until(process, fits):
    got = []
    for line in process.stdout:
        got.append(json.loads(line))
        if fits(got[-1]):
            return got
    raise AssertionError(f"it never came: {got} {process.stderr.read()}")


async def turn(client, text):
    """One message and all that comes of it."""
    await client.query(text)
    return [message async for message in client.receive_response()]


async def refused(request):
    """Why a control request was refused."""
    try:
        await request
    except Exception as error:
        return str(error)
    raise AssertionError("it was answered with success")
