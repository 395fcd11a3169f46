# /// script
# dependencies = ["autogen-ext[openai]==0.7.5", "autogen-agentchat==0.7.5"]
# [tool.headrace]
# name = "AutoGen"
# ///
from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from headrace_checks import *
from pydantic import BaseModel

client = OpenAIChatCompletionClient(
    model=MODEL,
    base_url=ROOT,
    api_key=KEY,
    model_info={
        "vision": False,
        "function_calling": True,
        "json_output": True,
        "structured_output": True,
        "family": "unknown",
    },
)


class Person(BaseModel):
    name: str
    age: int


def ask(text):
    return [UserMessage(content=text, source="user")]


async def chat():
    answer = (await client.create(ask(QUESTION))).content
    expect(answer == ANSWER, answer)


async def stream():
    pieces = [piece async for piece in client.create_stream(ask(QUESTION))]
    expect(pieces[-1].content.endswith(ANSWER), pieces)


async def tools():
    agent = AssistantAgent("one", client, tools=[weather], reflect_on_tool_use=True)
    answer = (await agent.run(task=USE_TOOL)).messages[-1].content
    expect(RESULT in answer, answer)


async def schema():
    text = (await client.create(ask(QUESTION), json_output=Person)).content
    expect(Person.model_validate_json(text).age == 1, text)


serve(chat=chat, stream=stream, tools=tools, schema=schema)
