# /// script
# dependencies = ["strands-agents[openai]==1.62.0"]
# [tool.headrace]
# name = "Strands"
# ///
from headrace_checks import *
from pydantic import BaseModel
from strands import Agent, tool
from strands.models.openai import OpenAIModel

model = OpenAIModel(client_args={"base_url": ROOT, "api_key": KEY}, model_id=MODEL)


class Person(BaseModel):
    """A person."""

    name: str
    age: int


def stream():
    answer = str(Agent(model=model, callback_handler=None)(QUESTION))
    expect(ANSWER in answer, answer)


def tools():
    answer = str(Agent(model=model, tools=[tool(weather)], callback_handler=None)(USE_TOOL))
    expect(RESULT in answer, answer)


def schema():
    person = Agent(model=model, callback_handler=None).structured_output(Person, QUESTION)
    expect(person == Person(name="example", age=1), person)


serve(stream=stream, tools=tools, schema=schema)
