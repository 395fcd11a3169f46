# /// script
# dependencies = ["semantic-kernel==1.45.0"]
# [tool.headrace]
# name = "Semantic Kernel"
# ///
from headrace_checks import *
from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function

client = AsyncOpenAI(base_url=ROOT, api_key=KEY)
service = OpenAIChatCompletion(ai_model_id=MODEL, async_client=client)


class Weather:
    @kernel_function(name="weather", description="The weather of a city")
    def weather(self, city: str) -> str:
        return weather(city)


async def chat():
    answer = await ChatCompletionAgent(service=service, name="one").get_response(QUESTION)
    expect(str(answer) == ANSWER, answer)


async def stream():
    agent = ChatCompletionAgent(service=service, name="one")
    pieces = [str(piece.message) async for piece in agent.invoke_stream(QUESTION)]
    expect("".join(pieces) == ANSWER, pieces)


async def tools():
    agent = ChatCompletionAgent(service=service, name="one", plugins=[Weather()])
    prompt = USE_TOOL.replace("weather", "Weather-weather")
    answer = str(await agent.get_response(prompt))
    expect(RESULT in answer, answer)


serve(chat=chat, stream=stream, tools=tools)
