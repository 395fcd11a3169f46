"""What the scripts in test/programs/python share: the settings, and the loop over the checks."""

import asyncio
import inspect
import json
import os
import sys

ROOT = os.environ["HEADRACE_API_ROOT"]
KEY = os.environ["HEADRACE_API_KEY"]
MODEL = os.environ["HEADRACE_MODEL"]
STOPPING_MODEL = os.environ["HEADRACE_STOPPING_MODEL"]

QUESTION = "What is two plus two?"
ANSWER = "Four, says the engine."
ENDLESS = "TALK-WITHOUT-END"
USE_TOOL = 'USETOOL=weather ARGS={"city":"Oslo"}'
RESULT = "21 degrees in Oslo"


def weather(city: str) -> str:
    """Returns the weather of a city.

    Args:
        city: The name of the city.
    """
    return f"21 degrees in {city}"


def expect(condition, seen) -> None:
    if not condition:
        raise AssertionError(f"got {seen!r}")


def serve(**checks) -> None:
    """Runs the checks whose names come from standard input. One may be a coroutine function."""
    out = os.fdopen(os.dup(1), "w")
    # What a library prints must not look like a report.
    os.dup2(2, 1)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    print("@" + json.dumps({"checks": list(checks)}), file=out, flush=True)
    for line in sys.stdin:
        name = line.strip()
        error = None
        try:
            result = checks[name]()
            if inspect.isawaitable(result):
                loop.run_until_complete(result)
        except BaseException as caught:
            error = f"{type(caught).__name__}: {caught}"
        print("@" + json.dumps({"check": name, "error": error}), file=out, flush=True)
