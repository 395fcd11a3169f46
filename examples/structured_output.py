"""Gets JSON that follows a schema, and knows when it does not.

    export HEADRACE_BASE_URL=https://HOST/compat/v1 HEADRACE_API_KEY=headrace_sk_… HEADRACE_MODEL=…
    python3 structured_output.py 'Extract the person: Bob is 42 years old.'

Needs Python 3.9 or newer and no packages. The engine enforces the schema while it generates; only an answer that
was cut off by the output limit can be incomplete.
"""

import json
import os
import sys
import urllib.request

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}

request = urllib.request.Request(
    f"{os.environ['HEADRACE_BASE_URL']}/chat/completions",
    data=json.dumps(
        {
            "model": os.environ["HEADRACE_MODEL"],
            "messages": [{"role": "user", "content": sys.argv[1]}],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "person", "schema": SCHEMA},
            },
        }
    ).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['HEADRACE_API_KEY']}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=900) as response:
    choice = json.load(response)["choices"][0]
if choice["finish_reason"] != "stop":
    sys.exit(f"the answer is incomplete: {choice['finish_reason']}")
person = json.loads(choice["message"]["content"])
print(json.dumps(person))
