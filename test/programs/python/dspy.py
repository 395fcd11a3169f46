# /// script
# dependencies = ["dspy==3.4.1"]
# [tool.headrace]
# name = "DSPy"
# ///
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import dspy
from headrace_checks import *

lm = dspy.LM(f"openai/{MODEL}", api_base=ROOT, api_key=KEY, cache=False)
dspy.configure(lm=lm)


def chat():
    text = "ANSWER-WITH: [[ ## answer ## ]]\nfour\n\n[[ ## completed ## ]]\nEND-ANSWER"
    answer = dspy.Predict("question -> answer")(question=text).answer
    expect("four" in answer, answer)


serve(chat=chat)
