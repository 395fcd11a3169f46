# /// script
# dependencies = ["smolagents[openai]==1.26.0"]
# [tool.headrace]
# name = "smolagents"
# ///
from headrace_checks import *
from smolagents import ChatMessage, MessageRole, OpenAIServerModel, ToolCallingAgent, tool

model = OpenAIServerModel(model_id=MODEL, api_base=ROOT, api_key=KEY)


def ask(text):
    return [ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": text}])]


def chat():
    answer = model.generate(ask(QUESTION)).content
    expect(answer == ANSWER, answer)


def stream():
    pieces = [delta.content or "" for delta in model.generate_stream(ask(QUESTION))]
    expect("".join(pieces) == ANSWER, pieces)


def tools():
    agent = ToolCallingAgent(tools=[tool(weather)], model=model, max_steps=4)
    answer = agent.run(USE_TOOL)
    expect(answer is not None, answer)


serve(chat=chat, stream=stream, tools=tools)
