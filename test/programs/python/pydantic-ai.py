# /// script
# dependencies = ["pydantic-ai-slim[openai]==2.66.0"]
# [tool.headrace]
# name = "pydantic-ai"
# ///
from headrace_checks import *
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=ROOT, api_key=KEY))


class Person(BaseModel):
    name: str
    age: int


async def chat():
    result = await Agent(model).run(QUESTION)
    expect(result.output == ANSWER, result)


async def stream():
    async with Agent(model).run_stream(QUESTION) as result:
        pieces = [piece async for piece in result.stream_text(delta=True)]
    expect("".join(pieces) == ANSWER, pieces)


async def tools():
    result = await Agent(model, tools=[weather]).run(USE_TOOL)
    expect(RESULT in result.output, result)


async def schema():
    for output in (NativeOutput(Person), ToolOutput(Person)):
        result = await Agent(model, output_type=output).run(QUESTION)
        expect(result.output == Person(name="example", age=1), result)


async def abort():
    async with Agent(model).run_stream(ENDLESS) as result:
        async for _ in result.stream_text(delta=True):
            await result.cancel() if hasattr(result, "cancel") else None
            break


serve(chat=chat, stream=stream, tools=tools, schema=schema, abort=abort)
