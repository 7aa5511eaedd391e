"""Generate with a Qwen2 model from a GGUF file on a GPU: many prompts at a time, each in a slot of one cache.

A finished reply frees its slot for the next prompt, so that a long reply keeps nobody waiting. Replies are greedy.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from torch import Tensor
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

STEPS = 8  # tokens that are generated before anything else is looked at
PREFILL = 65_536  # tokens of prompts that are read at a time, padded
LENGTHS = (512, 1024, 2048, 4096, 8192, 16_384, 32_768)  # of the part of the cache that a step looks at


@dataclass(slots=True)
class Request:
    """A prompt in tokens and the most tokens of its reply. ``reply`` gets the tokens, the last one an end or not."""

    tokens: list[int]
    most: int
    reply: Future[list[int]] = field(default_factory=Future)


class Qwen:
    """The network, its cache and one step of generation."""

    def __init__(self, path: Path, slots: int, window: int) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.kind = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        reader = GGUFReader(path)
        told = {name: field.contents() for name, field in reader.fields.items() if name.startswith("qwen2.")}
        self.layers, self.heads = told["qwen2.block_count"], told["qwen2.attention.head_count"]
        self.pairs, self.epsilon = told["qwen2.attention.head_count_kv"], told["qwen2.attention.layer_norm_rms_epsilon"]
        self.size = told["qwen2.embedding_length"] // self.heads
        with ThreadPoolExecutor(16) as pool:
            self.weights = dict(pool.map(self._tensor, reader.tensors))
        self.slots, self.window = slots, window
        shape = (self.layers, slots, self.pairs, window, self.size)
        self.keys, self.values = (torch.zeros(shape, dtype=self.kind, device=self.device) for _ in range(2))
        half = torch.arange(0, self.size, 2, device=self.device) / self.size
        angles = torch.outer(torch.arange(window, device=self.device), told["qwen2.rope.freq_base"] ** -half)
        self.cos, self.sin = (torch.cat([part, part], 1) for part in (angles.cos(), angles.sin()))
        self.tokens = torch.zeros(slots, dtype=torch.long, device=self.device)  # the last token of each slot
        self.places = torch.zeros(slots, dtype=torch.long, device=self.device)  # and its place
        self._graphs: dict[int, Any] = {}

    def _tensor(self, tensor: Any) -> tuple[str, Tensor]:
        values = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
        return tensor.name, values.reshape(*map(int, reversed(tensor.shape))).to(self.device, self.kind)

    def _turned(self, hidden: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        first, second = hidden.float().chunk(2, -1)
        return (hidden * cos + torch.cat([-second, first], -1) * sin).to(self.kind)

    def _run(self, tokens: Tensor, cos: Tensor, sin: Tensor, attend: Callable[..., Tensor]) -> Tensor:
        weights = self.weights
        hidden = weights["token_embd.weight"][tokens]
        for layer in range(self.layers):

            def own(name: str, value: Tensor, at: str = f"blk.{layer}.") -> Tensor:
                return linear(value, weights[f"{at}{name}.weight"], weights.get(f"{at}{name}.bias"))

            normed = rms_norm(hidden, (hidden.shape[-1],), weights[f"blk.{layer}.attn_norm.weight"], self.epsilon)
            asked, key, value = (
                own(f"attn_{part}", normed).unflatten(-1, (-1, self.size)).transpose(1, 2) for part in "qkv"
            )
            seen = attend(layer, self._turned(asked, cos, sin), self._turned(key, cos, sin), value)
            hidden = hidden + own("attn_output", seen.transpose(1, 2).flatten(2))
            normed = rms_norm(hidden, (hidden.shape[-1],), weights[f"blk.{layer}.ffn_norm.weight"], self.epsilon)
            hidden = hidden + own("ffn_down", silu(own("ffn_gate", normed)) * own("ffn_up", normed))
        return rms_norm(hidden, (hidden.shape[-1],), weights["output_norm.weight"], self.epsilon)

    def _best(self, hidden: Tensor) -> Tensor:
        return linear(hidden, self.weights.get("output.weight", self.weights["token_embd.weight"])).argmax(-1)

    @torch.no_grad()
    def begin(self, prompts: list[list[int]], slots: list[int]) -> None:
        """Read prompts into slots; the first token of each reply is then in ``tokens``."""
        longest = max(map(len, prompts))
        rows = torch.tensor([prompt + [0] * (longest - len(prompt)) for prompt in prompts], device=self.device)
        into = torch.tensor(slots, device=self.device)

        def attend(layer: int, asked: Tensor, key: Tensor, value: Tensor) -> Tensor:
            self.keys[layer].narrow(2, 0, longest)[into] = key
            self.values[layer].narrow(2, 0, longest)[into] = value
            return scaled_dot_product_attention(asked, key, value, is_causal=True, enable_gqa=True)

        hidden = self._run(rows, self.cos[:longest], self.sin[:longest], attend)
        ends = torch.tensor([len(prompt) for prompt in prompts], device=self.device)
        self.tokens[into] = self._best(hidden[torch.arange(len(prompts), device=self.device), ends - 1])
        self.places[into] = ends

    def _step(self, length: int) -> None:
        into = torch.arange(self.slots, device=self.device)
        hidden_from = (torch.arange(length, device=self.device)[None] <= self.places[:, None])[:, None, None, :]
        group = self.heads // self.pairs

        def attend(layer: int, asked: Tensor, key: Tensor, value: Tensor) -> Tensor:
            self.keys[layer, into, :, self.places] = key[:, :, 0]
            self.values[layer, into, :, self.places] = value[:, :, 0]
            grouped = asked.reshape(self.slots, self.pairs, group, self.size)
            scores = grouped @ self.keys[layer, :, :, :length].transpose(2, 3) / self.size**0.5
            chances = scores.float().masked_fill(~hidden_from, -1e9).softmax(-1).to(self.kind)
            return (chances @ self.values[layer, :, :, :length]).reshape(self.slots, self.heads, 1, self.size)

        cos, sin = self.cos[self.places][:, None, None], self.sin[self.places][:, None, None]
        hidden = self._run(self.tokens[:, None], cos, sin, attend)
        self.tokens.copy_(self._best(hidden[:, 0]))
        self.places.add_(1).clamp_(max=self.window - 1)

    @torch.no_grad()
    def steps(self, count: int, longest: int) -> list[list[int]]:
        """Return the next tokens of all slots, of which the longest has ``longest`` tokens."""
        length = next(size for size in (*LENGTHS, self.window) if size >= min(longest + count, self.window))
        length = min(length, self.window)
        made = []
        for _ in range(count):
            made.append(self.tokens.clone())
            if self.device.type == "cuda":
                self._replay(length)
            else:
                self._step(length)
        return torch.stack(made, 1).tolist()

    def _replay(self, length: int) -> None:
        if length not in self._graphs:
            kept = self.tokens.clone(), self.places.clone()
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self._step(length)
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._step(length)
            self._graphs[length] = graph
            self.tokens.copy_(kept[0])
            self.places.copy_(kept[1])
        self._graphs[length].replay()


class Generator:
    """Replies to requests, on one thread."""

    def __init__(self, model: Qwen, ends: set[int]) -> None:
        self._model, self.ends = model, ends
        self._waiting: deque[Request] = deque()
        self._active: dict[int, tuple[Request, list[int]]] = {}
        self._changed = threading.Condition()
        self.finished = self.generated = self.read = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def submit(self, request: Request) -> Future[list[int]]:
        """Let a request wait for a slot."""
        with self._changed:
            self._waiting.append(request)
            self._changed.notify()
        return request.reply

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._active)
            try:
                while self._begin():
                    pass
                self._go_on()
            except RuntimeError as error:  # such as too little memory
                for request, _ in self._active.values():
                    request.reply.set_exception(error)
                self._active.clear()

    def _begin(self) -> bool:
        free = [slot for slot in range(self._model.slots) if slot not in self._active]
        with self._changed:
            chosen: list[Request] = []
            for request in sorted(self._waiting, key=lambda one: len(one.tokens), reverse=True)[: len(free)]:
                if chosen and len(chosen[0].tokens) * (len(chosen) + 1) > PREFILL:
                    break
                chosen.append(request)
            taken = set(map(id, chosen))
            self._waiting = deque(one for one in self._waiting if id(one) not in taken)
        if not chosen:
            return False
        self._model.begin([request.tokens for request in chosen], free[: len(chosen)])
        self._active |= {slot: (request, []) for slot, request in zip(free, chosen, strict=False)}
        self.read += sum(len(request.tokens) for request in chosen)
        return True

    def _go_on(self) -> None:
        longest = max(len(request.tokens) + len(reply) for request, reply in self._active.values())
        made = self._model.steps(STEPS, longest)
        for slot, (request, reply) in list(self._active.items()):
            for token in made[slot]:
                reply.append(token)
                if token in self.ends or len(reply) >= request.most:
                    break
            self.generated += STEPS
            if reply[-1] in self.ends or len(reply) >= request.most:
                del self._active[slot]
                self.finished += 1
                request.reply.set_result(reply)
