"""Answers one prompt per line, several at once, and respects the limits of the service.

    export HEADRACE_BASE_URL=https://HOST/compat/v1 HEADRACE_API_KEY=headrace_sk_… HEADRACE_MODEL=…
    python3 batch.py < prompts.txt > answers.jsonl

Needs Python 3.9 or newer and no packages. Each line of the output belongs to the line of the input with the
same number. A 429 or 503 says how long to wait; a daily limit says that waiting does not help.
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

BASE_URL = os.environ["HEADRACE_BASE_URL"]
API_KEY = os.environ["HEADRACE_API_KEY"]
MODEL = os.environ["HEADRACE_MODEL"]
AT_ONCE = int(os.environ.get("AT_ONCE", "4"))
ATTEMPTS = 20
RETRIED = {408, 429, 500, 502, 503}


def wait_of(headers, attempt):
    """Seconds to wait: as the service says, else longer each time."""
    if headers.get("retry-after-ms"):
        return float(headers["retry-after-ms"]) / 1000
    if headers.get("retry-after"):
        return float(headers["retry-after"])
    return min(2**attempt, 30) * random.uniform(0.5, 1)


def send(prompt):
    body = {"model": MODEL, "messages": [{"role": "user", "content": prompt}]}
    request = urllib.request.Request(
        f"{BASE_URL}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=900) as response:
        return json.load(response)


def answer(prompt):
    waits = 0
    for attempt in range(ATTEMPTS):
        try:
            completion = send(prompt)
            content = completion["choices"][0]["message"]["content"]
            return {"content": content, "usage": completion["usage"], "waits": waits}
        except urllib.error.HTTPError as error:
            problem = json.load(error)["error"]
            failure = {
                "error": problem["code"] or error.code,
                "message": problem["message"],
                "request_id": error.headers["x-request-id"],
            }
            is_final = error.headers.get("x-should-retry") == "false"
            if error.code not in RETRIED or is_final:
                return failure
            pause = wait_of(error.headers, attempt)
        except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
            failure = {"error": "no_answer", "message": str(error)}
            pause = wait_of({}, attempt)
        waits += 1
        time.sleep(pause)
    return failure


def main():
    prompts = [line.strip() for line in sys.stdin if line.strip()]
    failures = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for prompt, result in zip(prompts, pool.map(answer, prompts)):
            failures += "error" in result
            print(json.dumps({"prompt": prompt, **result}, ensure_ascii=False), flush=True)
    print(f"{len(prompts) - failures} answered, {failures} failed", file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
