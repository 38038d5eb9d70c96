"""The request bodies that cutonce sends, validated against the request types of the official `anthropic` and `openai`
packages and against the rules that those types can't say (each call has its result, in its place)."""

import base64
import itertools

import clients
import shape
import stories
from peers import KEY, PNG, Cutonce, Relay, Tally

PROVIDERS = {"anthropic": "/v1/messages", "openai": "/v1/responses", "openai-chat": "/v1/chat/completions"}
# Keys that servers of a kind know and the package's types do not.
KNOWN_EXTRAS = ("reasoning_content: ChatCompletionAssistantMessageParam",)


def check(binary):
    tally, relay = Tally("types"), Relay()
    with Cutonce(binary) as cutonce:
        for provider, path in PROVIDERS.items():
            for story in stories.ALL:
                one(tally, cutonce, relay, provider, path, story)
        for before, after in itertools.permutations(PROVIDERS, 2):
            switched(tally, cutonce, relay, before, after)
        clients.check(tally, cutonce)
    can_fail(tally)
    return tally


def one(tally, cutonce, relay, provider, path, story):
    name = f"{provider} {story.name}"
    run = cutonce.play(story, f"{provider}/{stories.MODEL[provider]}", relay.url, relay)
    requests = relay.take()
    tally.check(f"{name}: answer", not run.failed and run.text.strip() == story.answer, run)
    tally.check(f"{name}: {story.requests} requests to {path}", [p for p, *_ in requests] == [path] * story.requests, [p for p, *_ in requests])
    found = [f"request {i}: {e}" for i, (p, _, body) in enumerate(requests) for e in wrong(p, body)]
    tally.check(f"{name}: bodies fit the official types", not found, "\n        ".join(found[:12]))
    tally.check(f"{name}: prefix stays the same", stable(requests), "system prompt or tools differ between requests")
    tally.check(f"{name}: the key is in a header only", all(KEY not in str(body) for *_, body in requests))
    if requests and story.results:
        last = str(requests[-1][2])
        tally.check(f"{name}: results are sent", all(text in last for text in story.results), last[-1500:])
    if requests and story.image:
        sent = base64.b64encode(PNG).decode() in str(requests[-1][2])
        tally.check(f"{name}: the image is sent", sent, str(requests[-1][2])[-1500:])
    if requests and story.thought:
        tally.check(f"{name}: thinking goes back as it came", thinking_returns(path, requests[-1][2], story.thought), str(requests[-1][2])[-1500:])


def switched(tally, cutonce, relay, before, after):
    """Continues a conversation with thinking and calls with another provider's model, which must accept it."""
    story, name = stories.THINKING, f"{before}, then {after}"
    scenario = {"turns": [*story.scenario["turns"], {"text": "Still here.", "usage": stories.USAGE}]}
    cutonce.fresh_workspace()
    with cutonce.scenario_server(scenario) as server:
        relay.target = server.listening_on()
        cutonce.run(story.prompt, f"{before}/{stories.MODEL[before]}", relay.url, settings=story.settings)
        run = cutonce.run("Go on.", f"{after}/{stories.MODEL[after]}", relay.url, "--continue", settings=story.settings)
    requests = relay.take()
    tally.check(f"{name}: answer", run.text.strip() == "Still here." and len(requests) == 3, run)
    path, _, body = requests[-1]
    tally.check(f"{name}: the body fits the official types", not wrong(path, body), wrong(path, body)[:12])
    tally.check(f"{name}: the other one's thinking stays behind", story.thought not in str(body), str(body)[-1500:])
    tally.check(f"{name}: calls and results go along", all(text in str(body) for text in story.results), str(body)[-1500:])


def can_fail(tally):
    """The check itself must refuse what is wrong."""
    good = {"model": "m", "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": "x"}]}
    bad = [{**good, "extra": 1}, {k: v for k, v in good.items() if k != "model"}, {**good, "messages": [{"role": "x", "content": []}]}]
    kind = shape.of("/v1/messages")
    ok = not shape.errors(good, kind) and all(shape.errors(body, kind) for body in bad)
    tally.check("a wrong body is refused", ok, [shape.errors(body, kind) for body in bad])


def wrong(path, body):
    found = [e for e in shape.errors(body, shape.of(path)) if not any(extra in e for extra in KNOWN_EXTRAS)]
    return found + {"messages": messages, "responses": responses, "completions": chat}[path.rsplit("/", 1)[1]](body)


def stable(requests):
    kept = [(body.get("system"), body.get("tools"), body.get("instructions")) for *_, body in requests]
    return all(without_cache_marks(one) == without_cache_marks(kept[0]) for one in kept)


def without_cache_marks(value):
    if isinstance(value, dict):
        return {k: without_cache_marks(v) for k, v in value.items() if k != "cache_control"}
    if isinstance(value, (list, tuple)):
        return [without_cache_marks(v) for v in value]
    return value


def thinking_returns(path, body, thought):
    if path.endswith("/messages"):
        blocks = [b for m in body["messages"] if m["role"] == "assistant" and isinstance(m["content"], list) for b in m["content"]]
        return any(b["type"] == "thinking" and b["thinking"] == thought and b["signature"] for b in blocks)
    if path.endswith("/responses"):
        return any(item.get("type") == "reasoning" and item.get("encrypted_content") for item in body["input"])
    # Chat has no official form of it; it goes back under the name that the server gave it.
    return any(message.get("reasoning_content") == thought for message in body["messages"])


def messages(body):
    """Anthropic: roles alternate, no empty text, results come first and answer exactly the calls before them."""
    found, open_calls, last = [], [], None
    for i, message in enumerate(body["messages"]):
        at, content = f"messages[{i}]", message["content"]
        content = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == last:
            found.append(f"{at}: two {last} messages in a row")
        last = message["role"]
        if not content or any(b["type"] == "text" and not b["text"].strip() for b in content):
            found.append(f"{at}: empty content")
        results = [b["tool_use_id"] for b in content if b["type"] == "tool_result"]
        if any(b["type"] == "tool_result" for b in content[len(results):]):
            found.append(f"{at}: a tool result after other content")
        if results != open_calls:
            found.append(f"{at}: results {results} for calls {open_calls}")
        open_calls = [b["id"] for b in content if b["type"] == "tool_use"]
    marks = str(body).count("'cache_control'")
    if not 1 <= marks <= 4:
        found.append(f"{marks} cache breakpoints; 1 to 4 are allowed")
    budget = (body.get("thinking") or {}).get("budget_tokens", 0)
    if budget and not 1024 <= budget < body["max_tokens"]:
        found.append(f"thinking budget {budget} with max_tokens {body['max_tokens']}")
    return found + ([f"calls without results: {open_calls}"] if open_calls else [])


def responses(body):
    """Responses: every call has one output after it; encrypted reasoning needs store off and the include."""
    calls = [i["call_id"] for i in body["input"] if i.get("type") == "function_call"]
    outputs = [i["call_id"] for i in body["input"] if i.get("type") == "function_call_output"]
    found = [] if calls == outputs else [f"calls {calls}, outputs {outputs}"]
    if body.get("store") is not False:
        found.append("store is not off")
    if "reasoning.encrypted_content" not in (body.get("include") or []) and "reasoning" in body:
        found.append("reasoning is asked for, its encrypted form is not")
    return found


def chat(body):
    """Chat: the results of a message's calls follow it at once, in order."""
    found, expected = [], []
    for i, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if not expected or expected.pop(0) != message["tool_call_id"]:
                found.append(f"messages[{i}]: result out of place")
            continue
        if expected:
            found.append(f"messages[{i}]: calls {expected} have no results")
        expected = [call["id"] for call in message.get("tool_calls") or []]
        if message["role"] == "assistant" and not message.get("content") and not expected:
            found.append(f"messages[{i}]: an empty answer")
    if not (body.get("stream_options") or {}).get("include_usage"):
        found.append("usage is not asked for")
    return found
