"""Runs every check of scim2-tester against a server, and writes the results as lines of JSON.

The tester writes random texts into all attributes. A user name here is an address in a domain that
the organization has verified, so its random user names are such addresses; nothing else is changed.
"""

import json
import os
import sys
import uuid

import httpx2
import scim2_tester.filling as filling
import scim2_tester.checkers.patch_add as patch_add
import scim2_tester.checkers.patch_replace as patch_replace
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

generate = filling.generate_random_value


def generate_address(context, path, *args, **kwargs):
    value = generate(context, path, *args, **kwargs)
    if value is not None and str(path).lower().endswith("username"):
        return f"{uuid.uuid4()}@{os.environ['SCIM_DOMAIN']}"
    return value


for module in (filling, patch_add, patch_replace):
    module.generate_random_value = generate_address

client = httpx2.Client(
    base_url=os.environ["SCIM_ROOT"],
    headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"},
)
for result in check_server(SyncSCIMClient(client)):
    line = {
        "status": result.status.name,
        "check": result.title,
        "resource": result.resource_type,
        "reason": result.reason,
    }
    sys.stdout.write(json.dumps(line) + "\n")
