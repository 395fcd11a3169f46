# /// script
# dependencies = [
#   "pydantic-ai-slim[openai]==2.66.0",
#   "annotated-types==0.8.0",
#   "anyio==4.16.0",
#   "certifi==2026.10.18",
#   "charset-normalizer==3.5.2",
#   "genai-prices==0.2.2",
#   "griffelib==2.4.1",
#   "h11==0.16.0",
#   "httpcore2==2.16.0",
#   "httpx2==2.16.0",
#   "idna==3.20",
#   "jiter==0.19.0",
#   "logfire-api==5.5.0",
#   "openai==3.51.0",
#   "opentelemetry-api==1.45.2",
#   "pydantic==2.14.3",
#   "pydantic-core==2.50.4",
#   "pydantic-graph==2.66.0",
#   "regex==2026.11.9",
#   "requests==2.34.2",
#   "sniffio==1.3.1",
#   "tiktoken==0.14.0",
#   "truststore==0.10.5",
#   "typing-extensions==4.16.0",
#   "typing-inspection==0.4.5",
#   "urllib3==2.8.0",
# ]
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
