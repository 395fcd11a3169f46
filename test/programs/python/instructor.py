# /// script
# dependencies = ["instructor==1.17.0"]
# [tool.headrace]
# name = "Instructor for Python"
# ///
import instructor
from headrace_checks import *
from openai import OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=ROOT, api_key=KEY)


class Person(BaseModel):
    name: str
    age: int


def ask(mode):
    return instructor.from_openai(client, mode=mode).chat.completions


def schema():
    for mode in (instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA):
        messages = [{"role": "user", "content": QUESTION}]
        person = ask(mode).create(model=MODEL, messages=messages, response_model=Person)
        expect(person.name == "example" and person.age == 1, person)


def stream():
    messages = [{"role": "user", "content": QUESTION}]
    partials = ask(instructor.Mode.TOOLS).create_partial(
        model=MODEL, messages=messages, response_model=Person
    )
    *_, last = partials
    expect(last.age == 1, last)


serve(stream=stream, schema=schema)
