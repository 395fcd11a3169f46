# /// script
# dependencies = ["haystack-ai==3.4.0"]
# [tool.headrace]
# name = "Haystack"
# ///
import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from headrace_checks import *
from pydantic import BaseModel


class Person(BaseModel):
    name: str
    age: int


def generator(**more):
    return OpenAIChatGenerator(
        model=MODEL, api_base_url=ROOT, api_key=Secret.from_token(KEY), **more
    )


def ask(text, **more):
    return generator(**more).run([ChatMessage.from_user(text)])["replies"][0].text


def chat():
    answer = ask(QUESTION)
    expect(answer == ANSWER, answer)


def stream():
    pieces = []
    ask(QUESTION, streaming_callback=lambda chunk: pieces.append(chunk.content))
    expect("".join(pieces) == ANSWER, pieces)


def tools():
    agent = Agent(chat_generator=generator(), tools=[create_tool_from_function(weather)])
    answer = agent.run([ChatMessage.from_user(USE_TOOL)])["messages"][-1].text
    expect(RESULT in answer, answer)


def schema():
    text = ask(QUESTION, generation_kwargs={"response_format": Person})
    expect(Person.model_validate_json(text).age == 1, text)


serve(chat=chat, stream=stream, tools=tools, schema=schema)
