"""LiteLLM's proxy between cutonce and the scenario server: cutonce → LiteLLM → (relay) → scenario server.

LiteLLM parses our requests with its own code, makes upstream requests of another format out of them, and translates
the streams back: what it can't read, or gives back in a way that we can't read, shows here.
"""

import base64
import pathlib
import tempfile

import stories
from peers import KEY, PNG, VENV, Cutonce, Process, Relay, Tally, free_port

# (cutonce's provider, LiteLLM's route to the upstream, the upstream's path)
ROUTES = [
    ("anthropic", "up-anthropic", "/v1/messages"),
    ("anthropic", "up-chat", "/v1/chat/completions"),
    ("openai", "up-responses", "/v1/responses"),
    ("openai", "up-anthropic", "/v1/messages"),
    ("openai-chat", "up-chat", "/v1/chat/completions"),
    ("openai-chat", "up-anthropic", "/v1/messages"),
]

CONFIG = """
model_list:
  - model_name: up-anthropic
    litellm_params: {{model: anthropic/scenario, api_base: "{url}", api_key: upstream-key}}
  - model_name: up-chat
    litellm_params: {{model: hosted_vllm/scenario, api_base: "{url}/v1", api_key: upstream-key}}
  - model_name: up-responses
    litellm_params: {{model: openai/scenario, api_base: "{url}/v1", api_key: upstream-key}}
litellm_settings: {{drop_params: true, telemetry: false, num_retries: 0}}
router_settings: {{disable_cooldowns: true}}
general_settings: {{master_key: {key}}}
"""


def check(binary):
    tally, upstream, downstream = Tally("litellm"), Relay(), Relay()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Cutonce(binary) as cutonce:
        config = pathlib.Path(folder) / "config.yaml"
        config.write_text(CONFIG.format(url=upstream.url, key=KEY))
        command = [VENV / "litellm", "--config", config, "--host", "127.0.0.1", "--port", port]
        log = pathlib.Path(tempfile.gettempdir()) / "cutonce-interop-litellm.log"
        with Process(command, {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}, log) as litellm:
            litellm.wait_for(f"http://127.0.0.1:{port}/health/liveliness")
            downstream.target = f"127.0.0.1:{port}"
            for provider, route, path in ROUTES:
                for story in stories.ALL:
                    one(tally, cutonce, (downstream, upstream), f"{provider}/{route}", path, story)
            a_refusal(tally, cutonce, downstream)
    return tally


def one(tally, cutonce, relays, model, path, story):
    downstream, upstream = relays
    name = f"{model} {story.name}"
    run = cutonce.play(story, model, downstream.url, upstream)
    ours, theirs = downstream.take(), upstream.take()
    if not tally.check(f"{name}: answer", not run.failed and run.text.strip() == story.answer, run):
        return
    tally.check(f"{name}: usage", all(run.usage()), run.usage())
    tally.check(f"{name}: {story.requests} requests, none repeated", len(ours) == story.requests, [p for p, *_ in ours])
    tally.check(f"{name}: upstream is {path}", {p for p, *_ in theirs} == {path}, [p for p, *_ in theirs])
    if story.results:
        last = str(theirs[-1][2])
        tally.check(f"{name}: tool results reach upstream", all(text in last for text in story.results), last[-1500:])
    if story.image:
        sent = base64.b64encode(PNG).decode() in str(theirs[-1][2])
        tally.check(f"{name}: the image reaches upstream", sent, str(theirs[-1][2])[-1500:])
    if story.thought:
        thoughts = [block.get("thinking", "") for block in run.blocks("thinking")]
        tally.check(f"{name}: thinking is shown", any(story.thought in text for text in thoughts), thoughts)


def a_refusal(tally, cutonce, downstream):
    """A model that the proxy does not have: its own words reach the user, and nothing is sent again."""
    for provider in ("anthropic", "openai", "openai-chat"):
        run = cutonce.run("hi", f"{provider}/no-such-model", downstream.url)
        requests = downstream.take()
        said = run.text + run.stderr
        tally.check(f"{provider} unknown model: told, not repeated", run.failed and "no-such-model" in said and len(requests) == 1, run)
        tally.check(f"{provider} unknown model: no key in the output", KEY not in said + str(run.frames), said)
