"""Have a language model write questions about passages, each with an answer that stands in the passage.

    python training/questions.py MODEL.gguf TOKENIZER PASSAGES.jsonl.gz OUT.jsonl.gz

PASSAGES has a ``context`` and a ``source`` in each line. OUT gets the questions in the form that ``examples.py`` reads;
what the model writes counts only where its answer stands word for word in the passage. Where it stands several times,
the sentence that has most words of the question counts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from decoder import Generator, Qwen, Request
from transformers import AutoTokenizer

REQUEST = """Text:
{context}

Write {count} questions about different facts of this text. The answer to each is a name, a number, a date or \
a few words, copied from the text exactly as they stand there. Use other words in the question than the text \
does, and ask in different ways: who, what, when, where, which, how, how many, why. Somebody who has not seen \
the text must understand the question: write names instead of "he" or "the text". One line for each, in this \
form:
Q: the question | A: the answer"""
_LINE = re.compile(r"Q:\s*(.+?\?)\s*\|?\s*A:\s*(.+)")
_WORD = re.compile(r"\w{3,}")
_LONGEST_ANSWER = 12  # words


def parsed(reply: str, context: str, source: str) -> Iterator[dict[str, Any]]:
    """Yield the questions of a reply whose answers stand in the passage."""
    known = set()
    for question, raw in _LINE.findall(reply):
        answer = raw.strip().strip('"').rstrip(".").strip()
        if not answer or question in known or len(answer.split()) > _LONGEST_ANSWER or "|" in question:
            continue
        place = _place(answer, question, context)
        if place is not None and answer.lower() not in question.lower():
            known.add(question)
            answer = context[place : place + len(answer)]
            yield {"context": context, "question": question, "answer": answer, "start": place, "source": source}


def _place(answer: str, question: str, context: str) -> int | None:
    """Return where an answer stands in the passage, whatever its case."""
    asked = set(_WORD.findall(question.lower()))
    best = None
    for found in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", context, re.IGNORECASE):
        start = max(context.rfind(mark, 0, found.start()) for mark in ".?!\n")
        end = min((at for mark in ".?!\n" if (at := context.find(mark, found.end())) >= 0), default=len(context))
        shared = len(asked & set(_WORD.findall(context[start + 1 : end].lower())))
        if best is None or shared > best[0]:
            best = shared, found.start()
    return best[1] if best else None


def prompt(tokenizer: Any, context: str, count: int) -> list[int]:
    """Return the request for questions about a passage, in tokens."""
    request = [{"role": "user", "content": REQUEST.format(context=context, count=count)}]
    text = tokenizer.apply_chat_template(request, tokenize=False, add_generation_prompt=True)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])[-700:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("tokenizer", type=Path, help="a folder that transformers loads a tokenizer from")
    parser.add_argument("passages", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=8, help="questions a passage")
    parser.add_argument("--slots", type=int, default=512, help="passages at a time")
    parser.add_argument("--seconds", type=float, default=360, help="stop after this time")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    tokenizer = AutoTokenizer.from_pretrained(options.tokenizer)
    generator = Generator(Qwen(options.model, options.slots, 1024), {tokenizer.eos_token_id})
    with gzip.open(options.passages, "rt", encoding="utf-8") as lines:
        passages = [json.loads(line) for line in lines]
    random.Random(options.seed).shuffle(passages)
    asked = deque[tuple[dict[str, Any], Future[list[int]]]]()
    total = lines_written = 0
    print(f"loaded after {time.monotonic() - began:.0f} s", flush=True)
    with gzip.open(options.out, "wt", encoding="utf-8") as file:
        for number, passage in enumerate([*passages, *[None] * (2 * options.slots)]):
            if passage is not None and time.monotonic() - began < options.seconds:
                tokens = prompt(tokenizer, passage["context"], options.count)
                asked.append((passage, generator.submit(Request(tokens, 28 * options.count))))
            if asked and (passage is None or len(asked) > 2 * options.slots):
                about, future = asked.popleft()
                reply = tokenizer.decode(future.result(), skip_special_tokens=True)
                lines_written += reply.count("Q:")
                for made in parsed(reply, about["context"], f"written about {about['source']}"):
                    file.write(json.dumps(made) + "\n")
                    total += 1
            if number % 1000 == 0:
                print(
                    f"{number} passages, {total} questions of {lines_written} kept, {time.monotonic() - began:.0f} s",
                    flush=True,
                )
    print(f"{total} questions of {lines_written} kept, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
