# /// script
# dependencies = ["crewai==1.15.30", "litellm==1.106.2"]
# [tool.headrace]
# name = "CrewAI"
# ///
import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["CREWAI_TRACING_ENABLED"] = "false"
os.environ["OTEL_SDK_DISABLED"] = "true"
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from headrace_checks import *
from pydantic import BaseModel


class Person(BaseModel):
    name: str
    age: int


def llm(**more):
    return LLM(model=f"openai/{MODEL}", base_url=ROOT, api_key=KEY, **more)


def chat():
    answer = llm().call(QUESTION)
    expect(ANSWER in answer, answer)


def stream():
    answer = llm(stream=True).call(QUESTION)
    expect(ANSWER in answer, answer)


def tools():
    agent = Agent(
        role="one", goal="to help", backstory="none", llm=llm(), tools=[tool("weather")(weather)]
    )
    task = Task(description=USE_TOOL, expected_output="the weather", agent=agent)
    answer = Crew(agents=[agent], tasks=[task]).kickoff().raw
    expect(RESULT in answer, answer)


def schema():
    answer = llm(response_format=Person).call(QUESTION)
    person = Person.model_validate_json(answer) if isinstance(answer, str) else answer
    expect(person.age == 1, answer)


serve(chat=chat, stream=stream, tools=tools, schema=schema)
