# /// script
# dependencies = ["ag2[openai]==1.2.1"]
# [tool.headrace]
# name = "AG2"
# ///
from ag2 import Agent
from ag2.config import OpenAIConfig
from headrace_checks import *
from pydantic import BaseModel


class Person(BaseModel):
    name: str
    age: int


def agent(streaming=False, **more):
    config = OpenAIConfig(model=MODEL, base_url=ROOT, api_key=KEY, streaming=streaming)
    return Agent("one", config=config, **more)


async def chat():
    reply = await agent().ask(QUESTION)
    expect(reply.body == ANSWER, reply.body)


async def stream():
    reply = await agent(streaming=True).ask(QUESTION)
    expect(reply.body == ANSWER, reply.body)


async def tools():
    reply = await agent(tools=[weather]).ask(USE_TOOL)
    expect(RESULT in reply.body, reply.body)


async def schema():
    reply = await agent(response_schema=Person).ask(QUESTION)
    person = await reply.content()
    expect(person == Person(name="example", age=1), person)


serve(chat=chat, stream=stream, tools=tools, schema=schema)
