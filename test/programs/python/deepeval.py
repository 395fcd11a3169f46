# /// script
# dependencies = ["deepeval==4.3.1"]
# [tool.headrace]
# name = "DeepEval"
# ///
import os

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

from deepeval.models import LocalModel
from headrace_checks import *

model = LocalModel(model=MODEL, base_url=ROOT, api_key=KEY)


def chat():
    answer = model.generate(QUESTION)[0]
    expect(answer == ANSWER, answer)


serve(chat=chat)
