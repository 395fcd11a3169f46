"""Runs the official Python client and prints one JSON line per case: its name and its error."""

import json
import sys
import time
import traceback
import urllib.request

import openai
from pydantic import BaseModel

CONTROL_URL = sys.argv[1]
PEBBLE = "headrace/pebble"
TIMEOUT_SECONDS = 5
STORY_PENALTY = -1
SHARE_MAX = 0.75
COUNT_LAST = 40

WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


class Person(BaseModel):
    name: str
    age: int


def call_control(path, method="POST"):
    request = urllib.request.Request(CONTROL_URL + path, method=method)
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        return json.load(response)


API_ROOT = call_control("/", "GET")["apiRoot"]


def create_key(plan="ample"):
    return call_control(f"/callers/{plan}")["key"]


def create_client(key):
    return openai.OpenAI(base_url=API_ROOT, api_key=key)


client = create_client(create_key())


def ask(content, asked=client, **change):
    messages = [{"role": "user", "content": content}]
    settings = {"model": PEBBLE, "messages": messages, "temperature": 0, **change}
    return asked.chat.completions.create(**settings)


def check_text():
    completion = ask("What is the capital of France?")
    message = completion.choices[0].message
    assert "Paris" in message.content
    assert message.reasoning_content
    assert completion.usage.completion_tokens_details.reasoning_tokens > 0


def check_stream():
    text, reasoning, usage = "", "", None
    for chunk in ask(
        f"Count from 1 to {COUNT_LAST}.", stream=True, stream_options={"include_usage": True}
    ):
        usage = chunk.usage
        for choice in chunk.choices:
            reasoning += getattr(choice.delta, "reasoning_content", None) or ""
            text += choice.delta.content or ""
    numbers = [int(word) for word in text.replace(".", "").split(", ")]
    assert numbers == list(range(1, COUNT_LAST + 1)), text
    assert reasoning
    assert usage.completion_tokens > 0


def check_stream_helper():
    messages = [{"role": "user", "content": "Hello"}]
    with client.chat.completions.stream(model=PEBBLE, messages=messages, temperature=0) as stream:
        text = "".join(event.delta for event in stream if event.type == "content.delta")
        message = stream.get_final_completion().choices[0].message
    assert text and message.content == text


def check_tools(model, as_object):
    question = {"role": "user", "content": "What is the weather in Paris?"}
    first = ask("", model=model, messages=[question], tools=[WEATHER_TOOL]).choices[0].message
    call = first.tool_calls[0]
    assert json.loads(call.function.arguments) == {"city": "Paris"}
    answer = first if as_object else first.model_dump()
    result = {"role": "tool", "tool_call_id": call.id, "content": "sunny, 21 degrees"}
    second = ask("", model=model, messages=[question, answer, result], tools=[WEATHER_TOOL])
    assert "sunny" in second.choices[0].message.content


def check_json_schema():
    messages = [{"role": "user", "content": "Extract the person: Bob is 42 years old."}]
    completion = client.chat.completions.parse(
        model=PEBBLE, messages=messages, temperature=0, response_format=Person
    )
    assert completion.choices[0].message.parsed == Person(name="Bob", age=42)


def wait_until(token_limit, wanted):
    """Polls the engine; returns the most tokens that it had generated."""
    deadline, tokens = time.monotonic() + TIMEOUT_SECONDS, 0
    while time.monotonic() < deadline:
        generation = call_control(f"/generations/{token_limit}", "GET")
        tokens = max(tokens, generation["tokens"])
        if generation["busy"] == wanted:
            return tokens
    raise AssertionError(f"the engine never became {'busy' if wanted else 'idle'}")


def check_abort():
    token_limit = call_control("/token-limits")["tokenLimit"]
    stream = ask(
        "Write a long story.",
        max_completion_tokens=token_limit,
        frequency_penalty=STORY_PENALTY,
        stream=True,
    )
    next(iter(stream))
    wait_until(token_limit, True)
    stream.close()
    assert wait_until(token_limit, False) < token_limit * SHARE_MAX


def check_error(kind, call, **expected):
    try:
        call()
    except openai.APIStatusError as error:
        assert type(error) is kind, repr(error)
        seen = {name: getattr(error, name) for name in expected}
        assert seen == expected, seen
        return error
    raise AssertionError("nothing was raised")


def exhaust_limit(limited):
    """Sends requests until one is rejected; without retries each call is one request."""
    without_retries = limited.with_options(max_retries=0)
    for _ in range(100):
        try:
            without_retries.models.list()
        except openai.RateLimitError:
            return
    raise AssertionError("the limit was never reached")


def check_minute_limit():
    limited = create_client(create_key("few-per-minute"))
    exhaust_limit(limited)
    started = time.monotonic()
    assert ask("Hello", limited).choices[0].message.content
    assert time.monotonic() - started > 1, "it was not rejected first"


def check_daily_limit():
    limited = create_client(create_key("one-per-day"))
    exhaust_limit(limited)
    started = time.monotonic()
    error = check_error(
        openai.RateLimitError, lambda: ask("Hello", limited), code="rate_limit_exceeded"
    )
    assert "00:00 UTC" in error.message
    assert error.response.headers["x-should-retry"] == "false"
    assert time.monotonic() - started < 0.5, "it retried"


def check_models():
    ids = [model.id for model in client.models.list()]
    assert ids == ["headrace/pebble", "headrace/pebble-strict"]
    assert client.models.retrieve(PEBBLE).id == PEBBLE


CASES = {
    "text: content, separate reasoning, and usage": check_text,
    "stream: all chunks in order, reasoning and usage": check_stream,
    "stream helper: the final completion is complete": check_stream_helper,
    "tools: two steps": lambda: check_tools(PEBBLE, True),
    "tools: the client returns the reasoning to a strict model": lambda: check_tools(
        "headrace/pebble-strict", True
    ),
    "tools: a message can be sent back as model_dump()": lambda: check_tools(PEBBLE, False),
    "JSON schema: parse() with a pydantic model": check_json_schema,
    "abort: disconnecting mid-stream stops the engine": check_abort,
    "400: BadRequestError names code and parameter": lambda: check_error(
        openai.BadRequestError,
        lambda: ask("Hello", temperature=3),
        code="invalid_value",
        param="temperature",
    ),
    "401: AuthenticationError": lambda: check_error(
        openai.AuthenticationError,
        lambda: ask("Hello", create_client("sk-unknown")),
        code="invalid_api_key",
    ),
    "403: PermissionDeniedError": lambda: check_error(
        openai.PermissionDeniedError,
        lambda: ask("Hello", create_client(create_key("no-api-keys"))),
        code="plan_access_denied",
    ),
    "404: NotFoundError": lambda: check_error(
        openai.NotFoundError, lambda: ask("Hello", model="headrace/boulder"), param="model"
    ),
    "429: waits as long as Retry-After says, then succeeds": check_minute_limit,
    "429: RateLimitError for the daily limit at once": check_daily_limit,
    "models: list all, and retrieve one whose id contains a slash": check_models,
}

for name, check in CASES.items():
    error = None
    try:
        check()
    except Exception:
        error = traceback.format_exc()
    print(json.dumps({"name": name, "error": error}), flush=True)
