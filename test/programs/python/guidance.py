# /// script
# dependencies = ["guidance==0.3.1", "openai==3.51.0"]
# [tool.headrace]
# name = "guidance"
# ///
from guidance import gen, models, user, assistant
from headrace_checks import *


def stream():
    lm = models.OpenAI(MODEL, base_url=ROOT, api_key=KEY, echo=False)
    with user():
        lm += QUESTION
    with assistant():
        lm += gen("answer")
    expect(lm["answer"] == ANSWER, lm["answer"])


serve(stream=stream)
