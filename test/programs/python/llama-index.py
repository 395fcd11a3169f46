# /// script
# dependencies = [
#   "llama-index-core==0.14.25", "llama-index-llms-openai-like==0.8.1",
# ]
# [tool.headrace]
# name = "LlamaIndex"
# ///
from headrace_checks import *
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

llm = OpenAILike(
    model=MODEL,
    api_base=ROOT,
    api_key=KEY,
    is_chat_model=True,
    is_function_calling_model=True,
    context_window=262144,
)


class Person(BaseModel):
    name: str
    age: int


def chat():
    answer = llm.complete(QUESTION).text
    expect(answer == ANSWER, answer)


def stream():
    pieces = [piece.delta for piece in llm.stream_complete(QUESTION)]
    expect("".join(pieces) == ANSWER, pieces)


async def tools():
    agent = FunctionAgent(tools=[FunctionTool.from_defaults(weather)], llm=llm)
    answer = str(await agent.run(USE_TOOL))
    expect(RESULT in answer, answer)


def schema():
    person = llm.as_structured_llm(Person).complete(QUESTION).raw
    expect(person == Person(name="example", age=1), person)


serve(chat=chat, stream=stream, tools=tools, schema=schema)
