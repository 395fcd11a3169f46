"""Record how llama-server behaves when it is starting, busy, or dies: it starts its own servers for that.

    python3 capture_faults.py --engine ../.stack/debian/bin/llama-server --port 18190 --out transcripts
"""
import argparse
import http.client
import subprocess
import threading
import time

from capture import Recorder, user


def start(args, *more):
    return subprocess.Popen([args.engine, "-m", args.model, "--alias", "pebble", "--host", "127.0.0.1", "--port",
                             str(args.port), "--api-key", "test-key", "-c", "4096", "-np", "1", "-t", "1",
                             "--cache-ram", "0", "--no-ui", "--metrics", *more],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def first_answers(port, seconds):
    """Every different answer of /health from the start on, with its time."""
    began, seen, lines = time.time(), None, ["# GET /health every millisecond from the start of the process", ""]
    while time.time() - began < seconds:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/health")
            response = connection.getresponse()
            answer = f"HTTP/1.1 {response.status} {response.read().decode()}"
        except OSError as error:
            answer = f"{type(error).__name__}"
        if answer != seen:
            lines.append(f"[{time.time() - began:6.3f}] {answer}")
            seen = answer
        if " 200 " in answer:
            break
        time.sleep(0.001)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", required=True)
    parser.add_argument("--model", default="pebble-q8_0.gguf")
    parser.add_argument("--port", type=int, default=18190)
    parser.add_argument("--out", default="transcripts")
    args = parser.parse_args()
    t = Recorder(f"http://127.0.0.1:{args.port}", "test-key", args.out)
    t.number = 90
    endless = {"max_tokens": 3500, "ignore_eos": True}

    server = start(args)
    try:
        (t.out / "90-start.txt").write_text(first_answers(args.port, 30))

        # One slot only: the second request waits in the engine's queue.
        busy = threading.Thread(target=lambda: t.chat("queue-first", user("Write a long story."), stream=True,
                                                      stop_after=4000, note="occupies the only slot", **endless))
        busy.start()
        time.sleep(0.3)
        waiting = threading.Thread(target=lambda: t.chat(
            "queue-second", user("Hello"), stream=True, sse_ping_interval=1, max_tokens=5,
            note="waits for the slot; sse_ping_interval is 1 second here, 30 by default"))
        waiting.start()
        time.sleep(0.5)
        t.call("queue-metrics", "GET", "/metrics", note="requests_deferred counts the waiting ones")
        t.call("queue-health", "GET", "/health", note="health knows nothing of the queue")
        t.call("queue-fail-on-no-slot", "GET", "/slots?fail_on_no_slot=1", note="this one tells that no slot is free")
        busy.join()
        waiting.join()

        # The engine dies in the middle of a stream.
        threading.Timer(0.5, server.kill).start()
        try:
            t.chat("killed", user("Write a long story."), stream=True, **endless)
        except (http.client.HTTPException, OSError) as error:
            (t.out / "96-killed.txt").write_text(f"# the engine was killed in the middle of a stream\n\n"
                                                 f"the client sees: {type(error).__name__}: {error}\n")
        server.wait()
    finally:
        server.kill()
        server.wait()

    # The engine is told to stop in the middle of a stream.
    server = start(args)
    try:
        first_answers(args.port, 30)
        threading.Timer(0.5, server.terminate).start()
        began = time.time()
        try:
            t.chat("terminated", user("Write a long story."), stream=True, **endless)
        except (http.client.HTTPException, OSError) as error:
            (t.out / "97-terminated.txt").write_text(f"# SIGTERM in the middle of a stream\n\n"
                                                     f"the client sees: {type(error).__name__}: {error}\n")
        server.wait()
        with open(t.out / "97-terminated.txt", "a", encoding="utf-8") as f:
            f.write(f"\n(the engine had exited {time.time() - began:.1f} s after the request, SIGTERM came after 0.5 s)\n")
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
