"""Ask a running llama-server questions from a fresh draw of the corpus and score the answers per skill.

    python3 evaluate.py --key "$(cat ../.stack/engine.key)" --each 20

An answer counts if it equals the expected one; for open-ended skills (lists, stories, jokes) it counts if the turn
ended by itself and has the right form. Also reports how many tokens the reasoning took at each effort.
"""
import argparse
import json
import random
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import corpus as C
import tables as T
from tokenizer import Tokenizer


def post(url, key, path, body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {
        "Content-Type": "application/json", "Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=300) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{error.code}: {error.read().decode()[:500]}")


def check_tokenizer(url, key, path, count):
    """Our tokenizer and the engine's must agree on every conversation, or the model sees text it was not trained on."""
    ours = Tokenizer.load(path)
    for text in C.documents(99, count):
        theirs = post(url, key, "/tokenize", {"content": text, "add_special": False, "parse_special": True})["tokens"]
        if theirs != ours.encode(text):
            raise SystemExit(f"the tokenizers disagree on:\n{text}")
    print(f"tokenizers agree on {count} conversations")


def open_ended(skill, question, got):
    """The form of an answer that has no single right wording."""
    if skill == "skill_list":
        lines = got.strip().split("\n")
        known = {x.lower() for items in T.CATEGORIES.values() for x in items}
        words = [w for w in question.lower().replace(".", " ").replace("?", " ").split()]
        wanted = next((int(w) if w.isdigit() else C.NUMBER_WORDS.index(w) for w in words
                       if w.isdigit() or w in C.NUMBER_WORDS), None)
        items = [line.lstrip("-0123456789. ").lower() for line in lines]
        return len(lines) == wanted and all(i in known for i in items) and len(set(items)) == len(items)
    if skill == "skill_story":
        return got.startswith("Once upon a time") and got.endswith("were happy.")
    if skill == "skill_fun":
        return got in T.JOKES or got in T.HAIKU or got.split("\n") in list(T.POEM_LINES.values())
    if skill == "skill_fallback":
        return got.startswith("I am a very small model and do not know much about that. You wrote:")
    if skill in ("skill_greet", "skill_polite"):
        return len(got) > 5 and got[-1] in ".!?"
    return None


def cases(seed, each):
    r = random.Random(seed)
    for skill, _ in C.SKILLS:
        for i in range(each):
            effort = C.EFFORTS[i % 3]
            question, _, answer = skill(r, effort)
            yield skill.__name__, effort, [{"role": "user", "content": question}], {}, answer, question
    for i in range(each):
        effort = C.EFFORTS[i % 3]
        tell, recall = C.memory_pair(r, effort)
        yield "memory", effort, [{"role": "user", "content": tell[0]},
                                 {"role": "assistant", "reasoning_content": tell[1], "content": tell[2]},
                                 {"role": "user", "content": recall[0]}], {}, recall[2], recall[0]
    for i in range(each):
        effort = C.EFFORTS[i % 3]
        question, _, answer, system = C.skill_json(r, effort)
        fields = json.loads(answer)

        def schema(v):
            if isinstance(v, dict):
                return {"type": "object", "properties": {k: schema(x) for k, x in v.items()}, "required": list(v),
                        "additionalProperties": False}
            if isinstance(v, list):
                return {"type": "array", "items": schema(v[0])}
            return {"type": "boolean" if isinstance(v, bool) else "integer" if isinstance(v, int) else
                    "number" if isinstance(v, float) else "string"}
        more = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema(fields)}}}
        yield "json_schema", effort, ([{"role": "system", "content": system}] if system else []) + [
            {"role": "user", "content": question}], more, answer, question
    done = 0
    while done < 2 * each:
        effort = C.EFFORTS[done % 3]
        messages, tools = C.tool_conversation(r, effort)
        for i, message in enumerate(messages):
            if message["role"] != "assistant" or done >= 2 * each:
                continue
            history = []
            for m in messages[:i]:
                m = dict(m)
                if m.get("tool_calls"):
                    m["tool_calls"] = [{"id": f"call_{n}", "type": "function", "function": {
                        "name": c["function"]["name"], "arguments": json.dumps(c["function"]["arguments"])}}
                        for n, c in enumerate(m["tool_calls"])]
                if m["role"] == "tool":
                    m["tool_call_id"] = "call_0"
                history.append(m)
            kind = "tool_call" if message.get("tool_calls") else (
                "tool_answer" if messages[i - 1]["role"] == "tool" else "tool_not_needed")
            yield kind, effort, history, {"tools": tools}, message, messages[i - 1]["content"]
            done += 1


def score(kind, expected, question, choice):
    message = choice["message"]
    content = message.get("content") or ""
    if kind == "tool_call":
        want = [(c["function"]["name"], c["function"]["arguments"]) for c in expected["tool_calls"]]
        try:
            got = [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in message.get("tool_calls", [])]
        except ValueError:
            return False
        return got == want
    if kind.startswith("tool_"):
        if kind == "tool_not_needed":
            return not message.get("tool_calls") and len(content) > 0
        return content == expected["content"]
    if kind == "json_schema":
        try:
            return json.loads(content) == json.loads(expected) or ("items" in expected and bool(json.loads(content)))
        except ValueError:
            return False
    form = open_ended(kind, question, content)
    return content == expected if form is None else form


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:18080")
    parser.add_argument("--key", required=True)
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--misses", type=int, default=1, help="print this many misses per skill")
    parser.add_argument("--tokenizer", help="also compare this tokenizer.json with the engine's tokenizer")
    args = parser.parse_args()
    if args.tokenizer:
        check_tokenizer(args.url, args.key, args.tokenizer, 200)
    todo = list(cases(args.seed, args.each))

    def run(case):
        kind, effort, messages, more, expected, question = case
        reply = post(args.url, args.key, "/v1/chat/completions", {
            "messages": messages, "reasoning_effort": effort, "temperature": args.temperature, "max_tokens": 1000, **more})
        return reply["choices"][0]

    with ThreadPoolExecutor(args.parallel) as pool:
        choices = list(pool.map(run, todo))
    table, lengths, ended = {}, {e: [] for e in C.EFFORTS}, 0
    for (kind, effort, _, _, expected, question), choice in zip(todo, choices):
        row = table.setdefault(kind, {"n": 0, "ok": 0, "misses": []})
        good = score(kind, expected, question, choice)
        row["n"] += 1
        row["ok"] += good
        if not good:
            row["misses"].append((effort, question, expected, choice["message"]))
        ended += choice["finish_reason"] in ("stop", "tool_calls")
        lengths[effort].append(len((choice["message"].get("reasoning_content") or "").split()))
    for kind, row in table.items():
        print(f"{kind:18s} {row['ok']:3d}/{row['n']}")
        for effort, question, expected, message in row["misses"][:args.misses]:
            want = expected if isinstance(expected, str) else {k: v for k, v in expected.items() if k != "role"}
            print(f"    {effort} | {question[:100]!r}\n      want {str(want)[:300]!r}\n      got  {str(message)[:400]!r}")
    total, right = sum(r["n"] for r in table.values()), sum(r["ok"] for r in table.values())
    print(f"all {right}/{total} = {right / total:.3f}; turns that ended by themselves {ended}/{total}")
    print("words of reasoning:", {e: round(sum(v) / max(1, len(v)), 1) for e, v in lengths.items()})


if __name__ == "__main__":
    main()
