# /// script
# dependencies = ["openai-agents==0.24.0"]
# [tool.headrace]
# name = "OpenAI Agents for Python"
# ///
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from headrace_checks import *
from openai import AsyncOpenAI
from pydantic import BaseModel

set_tracing_disabled(True)
model = OpenAIChatCompletionsModel(MODEL, AsyncOpenAI(base_url=ROOT, api_key=KEY))


class Person(BaseModel):
    name: str
    age: int


async def chat():
    result = await Runner.run(Agent(name="One", model=model), QUESTION)
    expect(result.final_output == ANSWER, result)


async def stream():
    result = Runner.run_streamed(Agent(name="One", model=model), QUESTION)
    async for _ in result.stream_events():
        pass
    expect(result.final_output == ANSWER, result)


async def tools():
    agent = Agent(name="One", model=model, tools=[function_tool(weather)])
    result = await Runner.run(agent, USE_TOOL)
    expect(RESULT in result.final_output, result)


async def schema():
    result = await Runner.run(Agent(name="One", model=model, output_type=Person), QUESTION)
    expect(result.final_output == Person(name="example", age=1), result)


async def abort():
    result = Runner.run_streamed(Agent(name="One", model=model), ENDLESS)
    seen = 0
    async for _ in result.stream_events():
        seen += 1
        if seen == 10:
            result.cancel()


serve(chat=chat, stream=stream, tools=tools, schema=schema, abort=abort)
