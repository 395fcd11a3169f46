# /// script
# dependencies = ["litellm==1.106.2", "mcp==2.3.0"]
# [tool.headrace]
# name = "LiteLLM"
# ///
import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from headrace_checks import *
from pydantic import BaseModel

WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
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


def ask(messages, **more):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return litellm.completion(
        model=f"openai/{MODEL}", api_base=ROOT, api_key=KEY, messages=messages, **more
    )


def chat():
    answer = ask(QUESTION).choices[0].message.content
    expect(answer == ANSWER, answer)


def stream():
    pieces = [chunk.choices[0].delta.content or "" for chunk in ask(QUESTION, stream=True)]
    expect("".join(pieces) == ANSWER, pieces)


def tools():
    messages = [{"role": "user", "content": USE_TOOL}]
    message = ask(messages, tools=[WEATHER]).choices[0].message
    (call,) = message.tool_calls
    result = weather(**json.loads(call.function.arguments))
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": result}]
    answer = ask(messages, tools=[WEATHER]).choices[0].message.content
    expect(RESULT in answer, answer)


def schema():
    text = ask(QUESTION, response_format=Person).choices[0].message.content
    expect(Person.model_validate_json(text).age == 1, text)


def abort():
    pieces = ask(ENDLESS, stream=True)
    for _ in range(5):
        next(pieces)
    pieces.completion_stream.close()


serve(chat=chat, stream=stream, tools=tools, schema=schema, abort=abort)
