# /// script
# dependencies = ["langchain==1.4.7", "langchain-openai==1.7.3", "langgraph==1.2.20"]
# [tool.headrace]
# name = "LangChain and LangGraph"
# ///
from headrace_checks import *
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

llm = ChatOpenAI(model=MODEL, base_url=ROOT, api_key=KEY)


class Person(BaseModel):
    name: str
    age: int


def chat():
    message = llm.invoke(QUESTION)
    expect(message.content == ANSWER, message)


def stream():
    pieces = [chunk.content for chunk in llm.stream(QUESTION)]
    expect("".join(pieces) == ANSWER, pieces)


def tools():
    agent = create_agent(llm, [weather])
    state = agent.invoke({"messages": [("user", USE_TOOL)]})
    expect(RESULT in state["messages"][-1].content, state)


def schema():
    for method in ("json_schema", "function_calling"):
        person = llm.with_structured_output(Person, method=method).invoke(QUESTION)
        expect(person == Person(name="example", age=1), person)


def abort():
    pieces = llm.stream(ENDLESS)
    for _ in range(5):
        next(pieces)
    pieces.close()


serve(chat=chat, stream=stream, tools=tools, schema=schema, abort=abort)
