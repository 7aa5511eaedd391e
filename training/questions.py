"""Have a language model write questions about passages, each with an answer that stands in the passage.

    python training/questions.py MODEL.gguf PASSAGES.jsonl.gz OUT.jsonl.gz

PASSAGES has a ``context`` and a ``source`` in each line. OUT gets the questions in the form that ``examples.py`` reads;
what the model writes counts only where its answer stands word for word, and once, in the passage.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

REQUEST = """Text:
{context}

Write {count} questions about different facts of this text. The answer to each is a name, a number, a date or a \
few words, copied from the text exactly as they stand there. Use other words in the question than the text does, \
and ask in different ways: who, what, when, where, which, how, how many, why. Somebody who has not seen the text \
must understand the question: write names instead of "he" or "the text". One line for each, in this form:
Q: the question | A: the answer"""
_LINE = re.compile(r"Q:\s*(.+?\?)\s*\|?\s*A:\s*(.+)")
_LONGEST_ANSWER = 12  # words


def parsed(reply: str, context: str, source: str) -> Iterator[dict[str, Any]]:
    """Yield the questions of a reply whose answers stand in the passage."""
    known = set()
    for question, raw in _LINE.findall(reply):
        answer = raw.strip().strip('"').rstrip(".").strip()
        if not answer or question in known or len(answer.split()) > _LONGEST_ANSWER or "|" in question:
            continue
        places = [found.start() for found in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", context)]
        if len(places) == 1 and answer.lower() not in question.lower():
            known.add(question)
            yield {"context": context, "question": question, "answer": answer, "start": places[0], "source": source}


@torch.no_grad()
def written(model: Any, tokenizer: Any, contexts: list[str], count: int) -> list[str]:
    """Return what the model writes about each passage."""
    chats = [[{"role": "user", "content": REQUEST.format(context=context, count=count)}] for context in contexts]
    prompts = [tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True) for chat in chats]
    inputs = tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False).to(model.device)
    out = model.generate(**inputs, max_new_tokens=32 * count, do_sample=True, temperature=0.7, top_p=0.95,
                         pad_token_id=tokenizer.pad_token_id)  # fmt: skip
    return tokenizer.batch_decode(out[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("passages", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=8, help="questions a passage")
    parser.add_argument("--batch", type=int, default=768)
    parser.add_argument("--seconds", type=float, default=360, help="stop after this time")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    began = time.monotonic()
    kind = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    tokenizer = AutoTokenizer.from_pretrained(options.model.parent, gguf_file=options.model.name)
    tokenizer.padding_side = "left"
    model = AutoModelForCausalLM.from_pretrained(options.model.parent, gguf_file=options.model.name, dtype=kind)
    model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
    print(f"loaded after {time.monotonic() - began:.0f} s", flush=True)
    with gzip.open(options.passages, "rt", encoding="utf-8") as lines:
        passages = [json.loads(line) for line in lines]
    passages.sort(key=lambda one: len(one["context"]))
    batches = [passages[at : at + options.batch] for at in range(0, len(passages), options.batch)]
    torch.manual_seed(options.seed)
    order = torch.randperm(len(batches)).tolist()  # so that a run cut short has passages of all lengths
    total = asked = 0
    with gzip.open(options.out, "wt", encoding="utf-8") as file:
        for number in order:
            if time.monotonic() - began > options.seconds:
                print("out of time", flush=True)
                break
            batch = batches[number]
            replies = written(model, tokenizer, [one["context"] for one in batch], options.count)
            for one, reply in zip(batch, replies, strict=True):
                asked += reply.count("Q:")
                for made in parsed(reply, one["context"], f"written about {one['source']}"):
                    file.write(json.dumps(made) + "\n")
                    total += 1
            print(f"{total} questions of {asked} written kept, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
