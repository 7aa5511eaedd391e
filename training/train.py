"""Train the offline reader on top of MiniLM.

    python training/train.py DATA WEIGHTS OUT --rank 64 --epochs 6

DATA is the folder that ``examples.py`` made, WEIGHTS a safetensors file of all-MiniLM-L6-v2. OUT gets the trained
tensors as 16-bit floats and ``OUT.json`` with all settings and measures. ``--rank 0`` trains all weights. With
``--teachers`` the reader also learns what trained readers of all weights make of the same pairs. A teacher may be an
MPNet: ``--teacher-weights`` is what it was trained from.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import torch
from batches import DRAWN, MOST, Data, Group, groups, nearest
from measure import measured
from network import Reader, load_weights, save_tensors
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, kl_div, log_softmax, softmax

RANKING = 0.5  # weight of choosing among the pairs of a group


def batches(made: list[Group], size: int, lengths: list[int], rng: random.Random) -> list[list[Group]]:
    """Return the groups in random order, in batches whose passages have similar lengths."""
    order = rng.sample(made, len(made))
    several = [sorted(order[start : start + 40 * size], key=lambda group: lengths[group.pairs[0][1]])
               for start in range(0, len(order), 40 * size)]  # fmt: skip
    cut = [some[start : start + size] for some in several for start in range(0, len(some), size)]
    return rng.sample(cut, len(cut))


def pairs_of(group: Group, drawn: int, rng: random.Random) -> list[tuple[int, int]]:
    """Return the pairs of a group; wrong passages are drawn anew each time."""
    if group.kind == 1 or not group.wrong:
        return group.pairs
    query = group.pairs[0][0]
    wrong = rng.sample(group.wrong, min(drawn, len(group.wrong)))
    return group.pairs + [(query, passage) for passage in dict.fromkeys(wrong)]


def loss_of(
    batch: list[Group],
    sizes: list[int],
    spans: Tensor,
    verdicts: Tensor,
    asked: Tensor,
    taught: list[tuple[Tensor, Tensor]],
) -> Tensor:
    """Return the loss of a batch. ``asked`` has the lengths of the queries, ``taught`` the outputs of the teachers."""
    device = spans.device
    begins, at = [], 0
    for size in sizes:
        begins.append(at)
        at += size
    each = [group.kind for group, size in zip(batch, sizes, strict=True) for _ in range(size)]
    kinds = torch.tensor(each, device=device)
    right = torch.zeros(at, device=device)
    rights = [begin + group.right for begin, group in zip(begins, batch, strict=True) if group.right >= 0]
    right[torch.tensor(rights, device=device, dtype=torch.long)] = 1
    own = verdicts.gather(1, kinds[:, None])[:, 0]
    loss = binary_cross_entropy_with_logits(own, right)
    several = [(begin, size, group.right) for begin, size, group in zip(begins, sizes, batch, strict=True)
               if group.right >= 0 and size > 1]  # fmt: skip
    if several:
        table = torch.full((len(several), MOST), -1e4, device=device)
        rows = torch.tensor([row for row, (_, size, _) in enumerate(several) for _ in range(size)], device=device)
        places = torch.tensor([place for _, size, _ in several for place in range(size)], device=device)
        index = torch.tensor([begin + place for begin, size, _ in several for place in range(size)], device=device)
        table[rows, places] = own[index]
        loss = loss + RANKING * cross_entropy(table, torch.tensor([place for _, _, place in several], device=device))
    marked = [(begin, group) for begin, group in zip(begins, batch, strict=True) if group.first >= 0]
    if marked:
        index = torch.tensor([begin for begin, _ in marked], device=device)
        shift = asked[index] + 2
        for side, place in ((0, "first"), (1, "last")):
            target = torch.tensor([getattr(group, place) for _, group in marked], device=device) + shift
            hard = cross_entropy(spans[index, :, side], target)
            if taught:
                teacher = torch.stack([softmax(other[index, :, side], 1) for other, _ in taught]).mean(0)
                soft = kl_div(log_softmax(spans[index, :, side], 1), teacher, reduction="batchmean")
                hard = 0.5 * hard + soft
            loss = loss + 0.5 * hard
    if taught:
        teacher = torch.stack([other.gather(1, kinds[:, None])[:, 0].sigmoid() for _, other in taught]).mean(0)
        loss = loss + binary_cross_entropy_with_logits(own, teacher)
    return loss


def train(options: argparse.Namespace) -> None:
    """Train, measure and save."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it would be planned anew for every length
    rng = random.Random(options.seed)
    started = time.monotonic()
    data = Data.load(options.data, device)
    untrained = Reader(load_weights(options.nearest or options.weights), 0).to(device).eval()
    with torch.autocast(device.type, torch.bfloat16):
        made, near = groups(data, nearest(data, untrained, test=False)), nearest(data, untrained, test=True)
    del untrained
    if options.most:
        made = rng.sample(made, options.most)
    print(f"{len(made)} groups after {time.monotonic() - started:.0f} s", flush=True)
    teachers = []
    for path in options.teachers:
        teacher = Reader(load_weights(options.teacher_weights or options.weights), 0)
        teacher.load_state_dict(load_weights(path), strict=False)
        teachers.append(teacher.to(device).eval())
    model = Reader(load_weights(options.weights), options.rank).to(device).train()
    if options.start:
        model.load_state_dict(load_weights(options.start), strict=False)
    chosen = list(model.trained().values())
    print(f"{sum(value.numel() for value in chosen):,} trained weights", flush=True)
    optimizer = torch.optim.AdamW(chosen, lr=options.rate, weight_decay=0.01, fused=device.type == "cuda")
    steps = options.epochs * -(-len(made) // options.batch)
    warm_up = options.warm_up
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm_up, max(0.0, (steps - step) / max(1, steps - warm_up)))
    )
    lengths = data.passage_lengths.tolist()
    for epoch in range(options.epochs):
        total = torch.zeros((), device=device)
        some = batches(made, options.batch, lengths, rng)
        for step, batch in enumerate(some):
            if step % 200 == 0:
                print(f"epoch {epoch + 1}, step {step} of {len(some)}, {time.monotonic() - started:.0f} s", flush=True)
            several = [pairs_of(group, options.drawn, rng) for group in batch]
            pairs = torch.tensor([pair for group in several for pair in group]).to(device, non_blocking=True)
            longest = max(lengths[group.pairs[0][1]] for group in batch)  # wrong passages may be cut to this
            inputs = data.pairs(pairs[:, 0], pairs[:, 1], longest)
            with torch.autocast(device.type, torch.bfloat16):
                spans, verdicts = model(*inputs)
                with torch.no_grad():
                    taught = [teacher(*inputs) for teacher in teachers]
            loss = loss_of(batch, [len(group) for group in several], spans, verdicts,
                           data.query_lengths[pairs[:, 0]], taught)  # fmt: skip
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(chosen, 1.0)
            optimizer.step()
            schedule.step()
            total += loss.detach()
        print(f"epoch {epoch + 1}: loss {total.item() / len(some):.4f}, {time.monotonic() - started:.0f} s", flush=True)
    model.eval()
    save_tensors(options.out, model.trained())
    figures = measured(model, data, options.data, near)
    record = {
        "settings": vars(options),
        "groups": len(made),
        "seconds": round(time.monotonic() - started),
        "figures": figures,
    }
    options.out.with_suffix(".json").write_text(json.dumps(record, indent=1, default=str))
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=64, help="groups a step")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=0, help="groups used, to try it out")
    parser.add_argument("--drawn", type=int, default=DRAWN, help="wrong passages of a question in each epoch")
    parser.add_argument("--nearest", type=Path, help="weights that find near passages, if not WEIGHTS")
    parser.add_argument("--teachers", type=Path, nargs="*", default=[])
    parser.add_argument("--teacher-weights", type=Path)
    parser.add_argument("--start", type=Path, help="trained tensors to go on from")
    parser.add_argument("--warm-up", type=int, default=300, help="steps until the rate is reached")
    train(parser.parse_args())
