# /// script
# dependencies = ["google-adk==2.13.0", "litellm==1.106.2", "mcp==2.3.0"]
# [tool.headrace]
# name = "Google ADK"
# ///
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai import types
from headrace_checks import *


async def ask(text, tools):
    model = LiteLlm(model=f"openai/{MODEL}", api_base=ROOT, api_key=KEY)
    runner = InMemoryRunner(LlmAgent(name="one", model=model, tools=tools), app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    content = types.Content(role="user", parts=[types.Part(text=text)])
    said = ""
    events = runner.run_async(user_id="user", session_id=session.id, new_message=content)
    async for event in events:
        for part in (event.content.parts if event.content else None) or []:
            said += part.text or ""
    return said


async def chat():
    answer = await ask(QUESTION, [])
    expect(ANSWER in answer, answer)


async def tools():
    answer = await ask(USE_TOOL, [weather])
    expect(RESULT in answer, answer)


serve(chat=chat, tools=tools)
