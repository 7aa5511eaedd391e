"""Serve a Qwen2 GGUF file on a GPU with an OpenAI-compatible interface.

    python training/serve.py MODEL.gguf TOKENIZER --port 8000 --slots 96 --window 24576

TOKENIZER is a folder that transformers loads a tokenizer from. Replies are greedy, whatever temperature is requested.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from decoder import Generator, Qwen, Request
from transformers import AutoTokenizer

LONGEST = 2560  # tokens of a reply, unless the request says less
SHORTEST = 64  # tokens that a reply must have room for


class Handler(BaseHTTPRequestHandler):
    """Answers ``/v1/models`` and ``/v1/chat/completions``."""

    generator: Generator
    tokenizer: Any
    window: int
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        own = {"id": "model", "object": "model", "max_model_len": self.window}
        self._send(200, {"object": "list", "data": [own]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = self.tokenizer.apply_chat_template(body["messages"], tokenize=False, add_generation_prompt=True)
        tokens = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        asked = body.get("max_completion_tokens") or body.get("max_tokens") or LONGEST
        most = min(asked, LONGEST, self.window - len(tokens))
        if most < min(asked, SHORTEST):
            told = f"This model's maximum context length is {self.window} tokens; {len(tokens) + asked} are requested."
            self._send(400, {"error": {"message": told, "code": "context_length_exceeded"}})
            return
        try:
            made = self.generator.submit(Request(tokens, most)).result()
        except RuntimeError as error:
            self._send(500, {"error": {"message": str(error)[:300]}})
            return
        content = self.tokenizer.decode(made, skip_special_tokens=True)
        finish = "stop" if made[-1] in self.generator.ends else "length"
        usage = {"prompt_tokens": len(tokens), "completion_tokens": len(made), "total_tokens": len(tokens) + len(made)}
        message = {"role": "assistant", "content": content}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self._send(
                200, {"id": "1", "object": "chat.completion", "model": "model", "choices": [choice], "usage": usage}
            )
            return
        delta = {"choices": [{"index": 0, "delta": message, "finish_reason": finish}], "usage": usage}
        self._write(200, "text/event-stream", f"data: {json.dumps(delta)}\n\ndata: [DONE]\n\n".encode())

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._write(status, "application/json", json.dumps(body).encode())

    def _write(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Write no line for each request."""


def tell(generator: Generator) -> None:
    """Print every ten seconds how much was done."""
    began = time.monotonic()
    while True:
        time.sleep(10)
        print(f"{time.monotonic() - began:.0f} s: {generator.finished} replies, {generator.generated} tokens generated,"
              f" {generator.read} read, {generator.waiting} requests wait", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--slots", type=int, default=96)
    parser.add_argument("--window", type=int, default=24_576)
    options = parser.parse_args()
    Handler.tokenizer = AutoTokenizer.from_pretrained(options.tokenizer)
    Handler.window = options.window
    ends = {Handler.tokenizer.eos_token_id, Handler.tokenizer.convert_tokens_to_ids("<|endoftext|>")}
    Handler.generator = Generator(Qwen(options.model, options.slots, options.window), ends)
    ThreadingHTTPServer.request_queue_size = 512  # connections that arrive at once
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    threading.Thread(target=tell, args=(Handler.generator,), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
