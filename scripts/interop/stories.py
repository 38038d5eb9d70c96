"""What the scenario server plays, and what must come of it."""

from dataclasses import dataclass, field

# Names that each provider's thinking is asked for by.
MODEL = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-5.1", "openai-chat": "scenario"}
USAGE = {"input_tokens": 120, "output_tokens": 30}


@dataclass
class Story:
    name: str
    prompt: str
    scenario: dict
    answer: str
    settings: dict = field(default_factory=dict)
    follow_up: str = ""
    results: tuple = ()
    image: bool = False
    thought: str = ""

    @property
    def requests(self):
        """How many arrive: one for each turn, faults included."""
        return len(self.scenario["turns"])


def plays(*turns):
    return {"turns": [{"usage": USAGE, **turn} if "fault" not in turn else turn for turn in turns]}


def read(name, call_id):
    return {"name": "Read", "input": {"file_path": name}, "id": call_id}


# A budget for models that take one, an effort for the others; asked for whatever the model's name is.
THINKS = {
    "thinking": {"budget": 2048, "effort": "medium"},
    "models": {name: {"thinking": "budget"} for name in ("up-anthropic", "up-chat", "up-responses", "scenario")},
}

TEXT = Story("text", "Say hello.", plays({"text": "Hello from the other side."}), "Hello from the other side.")

TOOLS = Story(
    "two calls at once",
    "Read both files.",
    plays(
        {"text": "I read both.", "calls": [read("one.txt", "call_number_one"), read("two.txt", "call_number_two")]},
        {"text": "alpha and beta"},
    ),
    "alpha and beta",
    results=("first file: alpha", "second file: beta"),
)

THINKING = Story(
    "thinking in a tool loop",
    "Think, then read.",
    plays(
        {"thinking": "The first file will do.", "calls": [read("one.txt", "call_number_one")]},
        {"text": "It says alpha."},
    ),
    "It says alpha.",
    settings=THINKS,
    results=("first file: alpha",),
    thought="The first file will do.",
)

IMAGE = Story(
    "an image",
    "Look at the picture.",
    plays({"calls": [read("dot.png", "call_of_the_image")]}, {"text": "A red dot."}),
    "A red dot.",
    image=True,
)

FAILURES = Story(
    "calls that fail",
    "Try what can't work.",
    plays(
        {
            "calls": [
                read("missing.txt", "call_of_no_file"),
                {"name": "Read", "raw": '{"file_path": "one.t', "id": "call_of_bad_json"},
                {"name": "Read", "input": {"path": 7}, "id": "call_of_bad_input"},
                {"name": "NoSuchTool", "input": {}, "id": "call_of_no_tool"},
                {"name": "Write", "input": {"file_path": "new.txt", "content": "x"}, "id": "call_not_allowed"},
            ]
        },
        {"text": "Nothing worked."},
    ),
    "Nothing worked.",
    results=("missing.txt",),
)

AGAIN = Story(
    "a second message after thinking",
    "Think, then answer.",
    plays(
        {"thinking": "Easy.", "text": "One.", "calls": [read("one.txt", "call_number_one")]},
        {"thinking": "Still easy.", "text": "Two."},
        {"text": "Three."},
    ),
    "Three.",
    settings=THINKS,
    follow_up="And again.",
)

FAULTS = Story(
    "faults on the way",
    "Say hello in spite of all.",
    plays(
        {"fault": {"status": 529, "retry_after": "0"}},
        {"fault": "cut", "text": "This is cut off in the middle of it.", "usage": USAGE},
        {"text": "Hello at last."},
    ),
    "Hello at last.",
)

LONG = Story(
    "a loop of ten",
    "Read it ten times.",
    plays(*({"calls": [read("one.txt", f"call_number_{n:03}")]} for n in range(10)), {"text": "Enough."}),
    "Enough.",
    results=("first file: alpha",),
)

ALL = [TEXT, TOOLS, THINKING, IMAGE, FAILURES, AGAIN, FAULTS, LONG]
