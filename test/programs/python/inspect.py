# /// script
# dependencies = ["inspect-ai==0.3.285", "openai==3.51.0"]
# [tool.headrace]
# name = "Inspect"
# ///
from headrace_checks import *
from inspect_ai.model import GenerateConfig, ResponseSchema, get_model
from inspect_ai.util import json_schema
from pydantic import BaseModel

model = get_model(f"openai-api/headrace/{MODEL}", base_url=ROOT, api_key=KEY)


class Person(BaseModel):
    name: str
    age: int


async def chat():
    answer = (await model.generate(QUESTION)).completion
    expect(answer == ANSWER, answer)


async def schema():
    form = ResponseSchema(name="person", json_schema=json_schema(Person))
    text = (await model.generate(QUESTION, config=GenerateConfig(response_schema=form))).completion
    expect(Person.model_validate_json(text).age == 1, text)


serve(chat=chat, schema=schema)
