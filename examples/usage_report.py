"""Prints what each project of an organization used and cost this month, by the management API.

    export CONSOLE=https://console.example          # the value of console.public_url
    export MANAGEMENT_KEY=headrace_mk_…              # of the organization, with the scope usage:read
    python3 usage_report.py acme

Needs Python 3.9 or newer and no packages.
"""

import datetime
import json
import os
import sys
import urllib.parse
import urllib.request


def get(path, **query):
    text = urllib.parse.urlencode(query, doseq=True)
    request = urllib.request.Request(
        f"{os.environ['CONSOLE']}/management/v1{path}?{text}",
        headers={"Authorization": f"Bearer {os.environ['MANAGEMENT_KEY']}"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


today = datetime.datetime.now(datetime.timezone.utc).date()
organization = urllib.parse.quote(sys.argv[1])
usage = get(
    f"/organizations/{organization}/usage",
    by=["project", "model"],
    **{"from": today.replace(day=1), "to": today + datetime.timedelta(days=1)},
)
print("project", "model", "requests", "tokens", "cost", sep="\t")
for row in usage["data"]:
    tokens = row["prompt_tokens"] + row["completion_tokens"]
    cost = f"{row['cost']['amount']} {row['cost']['currency']}"
    print(row["project"]["name"], row["model"], row["requests"], tokens, cost, sep="\t")
