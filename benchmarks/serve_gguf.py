"""Serve a GGUF file with transformers on a GPU: an OpenAI-compatible server that answers waiting requests together.

    python benchmarks/serve_gguf.py MODEL.gguf --port 8000 --window 32768

Prompts of similar length are padded and generated in one batch. Replies are greedy, whatever temperature is requested.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

_TOKENS = 300_000  # of all prompts of a batch, padded
_MANY = 96  # requests of a batch
_LONGER = 1.6  # the longest prompt of a batch, in lengths of its shortest


class Request(NamedTuple):
    """A prompt in tokens, the most tokens of its reply, and where the reply goes: text, tokens, finish reason."""

    tokens: list[int]
    most: int
    reply: Future[tuple[str, int, str]]


class Batches:
    """Generates replies to all requests that wait, in batches, on one thread."""

    def __init__(self, path: Path, window: int) -> None:
        self.window = window
        self.tokenizer: Any = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        kind = torch.bfloat16 if torch.cuda.is_available() else torch.float32
        model: Any = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=kind)
        self._model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self._waiting: list[Request] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._serve, daemon=True).start()

    def submit(self, request: Request) -> None:
        """Let a request wait for the next batch."""
        with self._changed:
            self._waiting.append(request)
            self._changed.notify()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
            time.sleep(0.05)  # requests come in groups
            with self._changed:
                batch = self._take()
            try:
                began = time.monotonic()
                self._generate(batch)
                longest = max(len(one.tokens) for one in batch)
                print(f"{len(batch)} of {len(batch) + len(self._waiting)} requests, up to {longest} tokens,"
                      f" {time.monotonic() - began:.1f} s", flush=True)  # fmt: skip
            except Exception as error:  # noqa: BLE001 (the thread goes on)
                for one in batch:
                    if not one.reply.done():
                        one.reply.set_exception(error)

    def _take(self) -> list[Request]:
        """Remove the request that waits longest, and others of similar length, from those that wait."""
        first, *others = self._waiting
        batch, longest, shortest = [first], len(first.tokens), len(first.tokens)
        for one in others:
            long, short = max(longest, len(one.tokens)), min(shortest, len(one.tokens))
            if long <= _LONGER * short + 200 and long * (len(batch) + 1) <= _TOKENS and len(batch) < _MANY:
                batch.append(one)
                longest, shortest = long, short
        taken = set(map(id, batch))
        self._waiting = [one for one in self._waiting if id(one) not in taken]
        return batch

    @torch.no_grad()
    def _generate(self, batch: list[Request]) -> None:
        longest = max(len(one.tokens) for one in batch)
        pad, end = self.tokenizer.pad_token_id, self.tokenizer.eos_token_id
        rows = torch.tensor([[pad] * (longest - len(one.tokens)) + one.tokens for one in batch])
        mask = torch.tensor([[0] * (longest - len(one.tokens)) + [1] * len(one.tokens) for one in batch])
        made = self._model.generate(
            input_ids=rows.to(self._model.device), attention_mask=mask.to(self._model.device), do_sample=False,
            temperature=None, top_p=None, top_k=None, max_new_tokens=max(one.most for one in batch), pad_token_id=pad,
        )[:, longest:].tolist()  # fmt: skip
        for one, row in zip(batch, made, strict=True):
            own = row[: one.most]
            ends = [place for place, token in enumerate(own) if token in (end, pad)]
            text = self.tokenizer.decode(own[: ends[0]] if ends else own, skip_special_tokens=True)
            one.reply.set_result((text, ends[0] + 1 if ends else len(own), "stop" if ends else "length"))


class Handler(BaseHTTPRequestHandler):
    """Answers ``/v1/models`` and ``/v1/chat/completions``."""

    batches: Batches
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        own = {"id": "model", "object": "model", "max_model_len": self.batches.window}
        self._send(200, {"object": "list", "data": [own]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tokenizer, window = self.batches.tokenizer, self.batches.window
        text = tokenizer.apply_chat_template(body["messages"], tokenize=False, add_generation_prompt=True)
        tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        most = min(body.get("max_completion_tokens") or body.get("max_tokens") or 1024, 2048)
        if len(tokens) + most > window:
            message = (
                f"This model's maximum context length is {window} tokens. However, you requested "
                f"{len(tokens) + most} tokens ({len(tokens)} in the messages, {most} in the completion)."
            )
            self._send(400, {"error": {"message": message, "code": "context_length_exceeded"}})
            return
        reply: Future[tuple[str, int, str]] = Future()
        self.batches.submit(Request(tokens, most, reply))
        try:
            content, count, finish = reply.result()
        except Exception as error:  # noqa: BLE001 (whatever it was, the client is told)
            self._send(500, {"error": {"message": str(error)[:300]}})
            return
        usage = {"prompt_tokens": len(tokens), "completion_tokens": count, "total_tokens": len(tokens) + count}
        if not body.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
            self._send(200, {"object": "chat.completion", "model": "model", "choices": [choice], "usage": usage})
            return
        delta = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": content}, "finish_reason": finish}],
                 "usage": usage}  # fmt: skip
        data = f"data: {json.dumps(delta)}\n\ndata: [DONE]\n\n".encode()
        self._write(200, "text/event-stream", data)

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._write(status, "application/json", json.dumps(body).encode())

    def _write(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name in the base class)
        """Keep quiet."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--window", type=int, default=32_768)
    options = parser.parse_args()
    Handler.batches = Batches(options.model, options.window)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
