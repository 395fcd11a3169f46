# /// script
# dependencies = ["magentic==0.41.1"]
# [tool.headrace]
# name = "magentic"
# ///
from headrace_checks import *
from magentic import OpenaiChatModel, StreamedStr, prompt, prompt_chain
from pydantic import BaseModel

model = OpenaiChatModel(MODEL, base_url=ROOT, api_key=KEY)


class Person(BaseModel):
    name: str
    age: int


@prompt("{text}", model=model)
def ask(text: str) -> str: ...


@prompt("{text}", model=model)
def ask_streamed(text: str) -> StreamedStr: ...


@prompt("{text}", model=model)
def ask_person(text: str) -> Person: ...


@prompt_chain("{text}", functions=[weather], model=model)
def ask_with_tool(text: str) -> str: ...


def chat():
    answer = ask(QUESTION)
    expect(answer == ANSWER, answer)


def stream():
    pieces = list(ask_streamed(QUESTION))
    expect("".join(pieces) == ANSWER, pieces)


def tools():
    answer = ask_with_tool(USE_TOOL)
    expect(RESULT in answer, answer)


def schema():
    person = ask_person(QUESTION)
    expect(person == Person(name="example", age=1), person)


serve(chat=chat, stream=stream, tools=tools, schema=schema)
