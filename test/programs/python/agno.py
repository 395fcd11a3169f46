# /// script
# dependencies = ["agno==3.1.10", "openai==3.51.0"]
# [tool.headrace]
# name = "Agno"
# ///
from agno.agent import Agent
from agno.models.openai.like import OpenAILike
from headrace_checks import *
from pydantic import BaseModel


class Person(BaseModel):
    name: str
    age: int


def agent(**more):
    model = OpenAILike(id=MODEL, base_url=ROOT, api_key=KEY)
    return Agent(model=model, telemetry=False, **more)


def chat():
    answer = agent().run(QUESTION).content
    expect(answer == ANSWER, answer)


def stream():
    events = list(agent().run(QUESTION, stream=True))
    pieces = [getattr(event, "content", None) for event in events]
    expect(ANSWER in "".join(piece for piece in pieces if isinstance(piece, str)), pieces)


def tools():
    answer = agent(tools=[weather]).run(USE_TOOL).content
    expect(RESULT in answer, answer)


def schema():
    person = agent(output_schema=Person).run(QUESTION).content
    expect(person == Person(name="example", age=1), person)


serve(chat=chat, stream=stream, tools=tools, schema=schema)
