# /// script
# dependencies = ["mem0ai==2.2.1"]
# [tool.headrace]
# name = "mem0"
# ///
import os

os.environ["MEM0_TELEMETRY"] = "False"

from headrace_checks import *
from mem0.configs.llms.openai import OpenAIConfig
from mem0.llms.openai import OpenAILLM

llm = OpenAILLM(OpenAIConfig(model=MODEL, openai_base_url=ROOT, api_key=KEY))


def chat():
    answer = llm.generate_response([{"role": "user", "content": QUESTION}])
    expect(answer == ANSWER, answer)


serve(chat=chat)
