"""Starting and stopping the programs of a check, and the relay that sees what they say to each other."""

import http.client
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VENV = pathlib.Path(sys.executable).parent
KEY = "sk-interop-0123456789abcdef0123456789"


class Relay:
    """An HTTP relay on loopback that keeps every request body. Its target can change between runs."""

    def __init__(self):
        self.target, self.requests = None, []
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                relay.pass_on(self)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def pass_on(self, handler):
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        if self.target is None:
            return handler.send_error(503)  # A proxy that looks around before the check begins.
        self.requests.append((handler.path.split("?")[0], dict(handler.headers), body))
        dropped = ("host", "connection", "content-length", "transfer-encoding")
        headers = {k: v for k, v in handler.headers.items() if k.lower() not in dropped}
        upstream = http.client.HTTPConnection(self.target, timeout=600)
        try:
            upstream.request(handler.command, handler.path, body or None, headers)
            answer = upstream.getresponse()
            handler.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in dropped:
                    handler.send_header(name, value)
            # In chunks, so that an answer that was cut does not look like one that ended.
            handler.send_header("transfer-encoding", "chunked")
            handler.send_header("connection", "close")
            handler.end_headers()
            while chunk := answer.read1(65536):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                handler.wfile.flush()
            handler.wfile.write(b"0\r\n\r\n")
        except (OSError, http.client.HTTPException):
            pass  # One side went away: the other one sees the cut, as it would without the relay.
        finally:
            upstream.close()
            handler.close_connection = True

    def take(self):
        """The requests since the last time, as (path, headers, parsed body)."""
        taken, self.requests = self.requests, []
        return [(path, headers, json.loads(body)) for path, headers, body in taken if body]


class Process:
    """A program that runs beside the check until the block ends, its output in a log."""

    def __init__(self, args, env=None, log=None):
        self.args, self.env = [str(a) for a in args], {**os.environ, **(env or {})}
        self.log = log

    def __enter__(self):
        out = open(self.log, "wb") if self.log else subprocess.DEVNULL
        stdout = out if self.log else subprocess.PIPE
        self.process = subprocess.Popen(
            # The scenario server lives as long as its standard input is open.
            self.args, env=self.env, stdin=subprocess.PIPE, stdout=stdout, stderr=out, start_new_session=True
        )
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        except ProcessLookupError:
            pass

    def wait_for(self, url, seconds=240):
        """Until the address answers with 200."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.args[0]} ended with {self.process.returncode}; see {self.log}")
            try:
                with urllib.request.urlopen(url, timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.3)
        raise RuntimeError(f"{self.args[0]} did not answer at {url} in {seconds} s; see {self.log}")

    def listening_on(self, seconds=30):
        """The address that the program prints as `listening on ADDR`."""
        lines = queue.Queue()
        threading.Thread(target=lambda: [lines.put(line) for line in self.process.stdout], daemon=True).start()
        line = lines.get(timeout=seconds).decode()
        found = re.search(r"listening on (?:http://)?(\S+?)/?$", line.strip())
        if not found:
            raise RuntimeError(f"expected `listening on ADDR`, got {line!r}")
        return found.group(1)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cutonce:
    """The program under test, in a throwaway home and a throwaway workspace."""

    def __init__(self, binary):
        self.binary = pathlib.Path(binary).resolve()

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cutonce-interop-"))
        self.workspace, self.home = self.folder / "workspace", self.folder / "home"
        self.workspace.mkdir()
        self.home.mkdir()
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def scenario_server(self, scenario):
        file = self.folder / "scenario.json"
        file.write_text(json.dumps(scenario, indent=1))
        return Process([self.binary, "scenario-server", file])

    def fresh_workspace(self):
        shutil.rmtree(self.workspace)
        self.workspace.mkdir()
        (self.workspace / "one.txt").write_text("first file: alpha\n")
        (self.workspace / "two.txt").write_text("second file: beta\n")
        (self.workspace / "dot.png").write_bytes(PNG)

    def play(self, story, model, base, relay):
        """A story from its first message to its last; the relay leads to its scenario server."""
        self.fresh_workspace()
        with self.scenario_server(story.scenario) as server:
            relay.target = server.listening_on()
            run = self.run(story.prompt, model, base, settings=story.settings)
            if story.follow_up and not run.failed:
                run = self.run(story.follow_up, model, base, "--continue", settings=story.settings)
        return run

    def run(self, prompt, model, base, *args, settings=None, seconds=300):
        """`cutonce -p`, every provider's address set to `base`."""
        args = (*args, "--settings", json.dumps({"maxRetries": 2, **(settings or {})}))
        env = {k: v for k, v in os.environ.items() if not re.search(r"_API_KEY$|_BASE_URL$|_proxy$|_PROXY$|^OLLAMA_|^CUTONCE_", k)}
        env.update(
            CUTONCE_HOME=str(self.home), HOME=str(self.folder), ANTHROPIC_API_KEY=KEY, OPENAI_API_KEY=KEY,
            ANTHROPIC_BASE_URL=base, OPENAI_BASE_URL=base + "/v1", OLLAMA_HOST=base,
        )
        command = [str(self.binary), "-p", prompt, "--model", model, "--output-format", "stream-json", "--verbose", *args]
        done = subprocess.run(
            command, cwd=self.workspace, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds
        )
        return Run(done)


class Run:
    """What one run of cutonce gave."""

    def __init__(self, done):
        self.code, self.stderr = done.returncode, done.stderr
        self.frames, self.noise = [], []
        for line in done.stdout.splitlines():
            try:
                self.frames.append(json.loads(line))
            except ValueError:
                self.noise.append(line)
        results = [frame for frame in self.frames if frame.get("type") == "result"]
        self.result = results[-1] if results else {}

    @property
    def text(self):
        return self.result.get("result") or "\n".join(self.result.get("errors") or [])

    @property
    def failed(self):
        return self.code != 0 or self.result.get("is_error", True)

    def blocks(self, kind):
        frames = (f["message"]["content"] for f in self.frames if f.get("type") in ("assistant", "user"))
        return [block for content in frames if isinstance(content, list) for block in content if block.get("type") == kind]

    def usage(self):
        usage = self.result.get("usage") or {}
        return usage.get("input_tokens", 0) + usage.get("cache_read_input_tokens", 0), usage.get("output_tokens", 0)

    def __str__(self):
        return f"exit {self.code}, result {json.dumps(self.result)[:600]}, stderr {self.stderr.strip()[-600:]!r}"


class Tally:
    """Counts checks and prints each as a line."""

    def __init__(self, part):
        self.part, self.passed, self.bad = part, 0, []

    def check(self, name, ok, detail=""):
        if ok:
            self.passed += 1
            print(f"  ok    {name}", flush=True)
        else:
            self.bad.append(name)
            print(f"  FAIL  {name}\n        {detail}", flush=True)
        return ok

    def summary(self):
        return f"{self.part}: {self.passed} passed, {len(self.bad)} failed"


# A red dot, 1 by 1.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003"
    "010100c9fe92ef0000000049454e44ae426082"
)
