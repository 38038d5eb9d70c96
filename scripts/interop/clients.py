"""The official clients read the scenario server: what our own clients are tested against is no fiction of ours."""

import json

import stories

TURN = {
    "thinking": "Look first.",
    "text": "I look.",
    "calls": [stories.read("one.txt", "call_number_one"), stories.read("two.txt", "call_number_two")],
    "usage": {"input_tokens": 120, "output_tokens": 30, "cache_read_input_tokens": 7},
}
EXPECTED = {"thinking": "Look first.", "text": "I look.", "calls": ["one.txt", "two.txt"], "input": 127, "output": 30}


def check(tally, cutonce):
    for name, ask in (("anthropic", anthropic_messages), ("openai responses", openai_responses), ("openai chat", openai_chat)):
        with cutonce.scenario_server({"turns": [TURN]}) as server:
            try:
                got = ask(f"http://{server.listening_on()}")
            except Exception as error:  # Whatever the client does not take is the finding.
                got = repr(error)
        tally.check(f"the official client reads our scenario server: {name}", got == EXPECTED, got)


def file_of(arguments):
    return (json.loads(arguments) if isinstance(arguments, str) else arguments)["file_path"]


def anthropic_messages(url):
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)
    with client.messages.stream(model="m", max_tokens=99, messages=[{"role": "user", "content": "x"}]) as stream:
        message = stream.get_final_message()
    blocks = {kind: [b for b in message.content if b.type == kind] for kind in ("thinking", "text", "tool_use")}
    return {
        "thinking": "".join(b.thinking for b in blocks["thinking"]),
        "text": "".join(b.text for b in blocks["text"]),
        "calls": [file_of(b.input) for b in blocks["tool_use"]],
        "input": message.usage.input_tokens + (message.usage.cache_read_input_tokens or 0),
        "output": message.usage.output_tokens,
    }


def openai_responses(url):
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)
    with client.responses.stream(model="m", input="x") as stream:
        for _ in stream:
            pass
        response = stream.get_final_response()
    items = {kind: [i for i in response.output if i.type == kind] for kind in ("reasoning", "message", "function_call")}
    return {
        "thinking": "".join(part.text for item in items["reasoning"] for part in item.summary),
        "text": response.output_text,
        "calls": [file_of(item.arguments) for item in items["function_call"]],
        "input": response.usage.input_tokens,
        "output": response.usage.output_tokens,
    }


def openai_chat(url):
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)
    messages = [{"role": "user", "content": "x"}]
    with client.chat.completions.stream(model="m", messages=messages, stream_options={"include_usage": True}) as stream:
        deltas = [choice.delta for event in stream if event.type == "chunk" for choice in event.chunk.choices]
        completion = stream.get_final_completion()
    message = completion.choices[0].message
    return {
        # No field of the official type: servers that think send it, the client passes it through.
        "thinking": "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas),
        "text": message.content,
        "calls": [file_of(call.function.arguments) for call in message.tool_calls],
        "input": completion.usage.prompt_tokens,
        "output": completion.usage.completion_tokens,
    }
