# /// script
# dependencies = ["outlines==1.3.3", "openai==3.51.0"]
# [tool.headrace]
# name = "outlines"
# ///
import openai
import outlines
from headrace_checks import *
from pydantic import BaseModel

model = outlines.from_openai(openai.OpenAI(base_url=ROOT, api_key=KEY), MODEL)


class Person(BaseModel):
    name: str
    age: int


def chat():
    answer = model(QUESTION)
    expect(answer == ANSWER, answer)


def stream():
    pieces = list(model.stream(QUESTION))
    expect("".join(pieces) == ANSWER, pieces)


def schema():
    text = model(QUESTION, Person)
    expect(Person.model_validate_json(text).age == 1, text)


serve(chat=chat, stream=stream, schema=schema)
