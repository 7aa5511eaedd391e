"""Train the offline reader on top of MiniLM.

    python training/train.py DATA WEIGHTS OUT --layers-only --epochs 9

DATA is the folder that ``examples.py`` made, WEIGHTS a safetensors file of all-MiniLM-L6-v2. OUT gets the trained
tensors as 16-bit floats, and ``OUT.json`` all settings and figures. With ``--layers-only`` the vectors of words stay as
they are, and OUT gets what changed in the layers, in 4 bits a weight. With
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
from lesson import Lesson, taught
from measure import measured
from network import Reader, load_weights, save_tensors
from pack import packed, unpacked
from sets import SETS
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, kl_div, log_softmax

RANKING = 0.5  # weight of choosing among the pairs of a group
KEPT = 3  # wrong passages of a group on which the teachers are asked, of which some are drawn in each epoch
TIMED = 100  # steps that are timed, to know how many epochs there is time for


def batches(made: list[Group], size: int, lengths: list[int], rng: random.Random) -> list[list[int]]:
    """Return the numbers of the groups in random order, in batches whose passages have similar lengths."""
    order = rng.sample(range(len(made)), len(made))
    several = [sorted(order[start : start + 40 * size], key=lambda number: lengths[made[number].pairs[0][1]])
               for start in range(0, len(order), 40 * size)]  # fmt: skip
    cut = [some[start : start + size] for some in several for start in range(0, len(some), size)]
    return rng.sample(cut, len(cut))


def drawn_places(group: Group, pairs: list[tuple[int, int]], drawn: int, rng: random.Random) -> list[int]:
    """Return the places of the pairs that are used this time: wrong passages are drawn anew."""
    if group.kind == 1:
        return list(range(len(pairs)))
    return [0, *rng.sample(range(1, len(pairs)), min(drawn, len(pairs) - 1))]


def loss_of(
    batch: list[Group],
    sizes: list[int],
    spans: Tensor,
    verdicts: Tensor,
    asked: Tensor,
    taught_spans: Tensor | None,
    taught_verdicts: Tensor | None,
) -> Tensor:
    """Return the loss of a batch. ``asked`` has the lengths of the queries.

    The teachers' chances are given for the first pair of each group, their verdicts for every pair.
    """
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
    marked = [(number, begins[number], group) for number, group in enumerate(batch) if group.first >= 0]
    if marked:
        index = torch.tensor([begin for _, begin, _ in marked], device=device)
        numbers = torch.tensor([number for number, _, _ in marked], device=device)
        shift = asked[index] + 2
        for side, place in ((0, "first"), (1, "last")):
            target = torch.tensor([getattr(group, place) for _, _, group in marked], device=device) + shift
            hard = cross_entropy(spans[index, :, side], target)
            if taught_spans is not None:
                scores = log_softmax(spans[index, :, side], 1)
                hard = 0.5 * hard + kl_div(scores, taught_spans[numbers, :, side], reduction="batchmean")
            loss = loss + 0.5 * hard
    if taught_verdicts is not None:
        loss = loss + binary_cross_entropy_with_logits(own, taught_verdicts)
    return loss


def train(options: argparse.Namespace) -> None:
    """Train, measure and save."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(options.seed)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it would be planned anew for every length
    rng = random.Random(options.seed)
    started = time.monotonic()
    data = Data.load(options.data, device)
    untrained = Reader(load_weights(options.nearest or options.weights)).to(device).eval()
    with torch.autocast(device.type, torch.bfloat16):
        made, near = groups(data, nearest(data, untrained, test=False)), nearest(data, untrained, test=True)
    del untrained
    if options.most:
        made = rng.sample(made, options.most)
    made += [group for name in options.again for group in made if SETS[group.set] == name]
    print(f"{len(made)} groups after {time.monotonic() - started:.0f} s", flush=True)
    teachers = []
    for path in options.teachers:
        teacher = Reader(load_weights(options.teacher_weights or options.weights))
        teacher.load_state_dict(load_weights(path), strict=False)
        teachers.append(teacher.to(device).eval())
    lesson = taught(teachers, data, made, KEPT, rng)
    print(f"{len(lesson.verdicts)} pairs, taught after {time.monotonic() - started:.0f} s", flush=True)
    model = Reader(load_weights(options.weights), layers_only=options.layers_only).to(device).train()
    untrained_matrices = model.matrices() if options.layers_only else {}
    if options.start:
        model.load_state_dict(load_weights(options.start), strict=False)
    steps = fit(model, data, made, lesson if teachers else None, lesson.pairs, options, rng, started)
    model.eval()
    tensors = packed(model.trained(), untrained_matrices)
    save_tensors(options.out, tensors)
    model.load_state_dict(unpacked(tensors, untrained_matrices), strict=False)
    figures = measured(model, data, options.data, near)
    record = {
        "settings": vars(options),
        "groups": len(made),
        "steps": steps,
        "seconds": round(time.monotonic() - started),
        "figures": figures,
    }
    options.out.with_suffix(".json").write_text(json.dumps(record, indent=1, default=str))
    print(json.dumps(figures), flush=True)


def fit(
    model: Reader,
    data: Data,
    made: list[Group],
    lesson: Lesson | None,
    pairs: list[list[tuple[int, int]]],
    options: argparse.Namespace,
    rng: random.Random,
    started: float,
) -> int:
    """Train the model and return the number of steps."""
    device = data.queries.device
    chosen = list(model.trained().values())
    print(f"{sum(value.numel() for value in chosen):,} trained weights", flush=True)
    optimizer = torch.optim.AdamW(chosen, lr=options.rate, weight_decay=0.01, fused=device.type == "cuda")
    epochs, an_epoch, warm_up = options.epochs, -(-len(made) // options.batch), options.warm_up
    lengths = data.passage_lengths.tolist()
    step, begun = 0, time.monotonic()
    epoch = 0
    while epoch < epochs:
        total = torch.zeros((), device=device)
        for numbers in batches(made, options.batch, lengths, rng):
            if step == 2 * TIMED and options.seconds:
                epochs = int(options.seconds / an_epoch * TIMED / (time.monotonic() - begun))
                print(f"{epochs} epochs in {options.seconds} s", flush=True)
            if step in (TIMED, 2 * TIMED):
                begun = time.monotonic()
            if step % 500 == 0:
                print(f"epoch {epoch + 1}, step {step}, {time.monotonic() - started:.0f} s", flush=True)
            share = (epochs * an_epoch - step) / max(1, epochs * an_epoch - warm_up)
            for part in optimizer.param_groups:
                part["lr"] = options.rate * max(0.0, min((step + 1) / warm_up, share))
            batch = [made[number] for number in numbers]
            places = [drawn_places(made[number], pairs[number], options.drawn, rng) for number in numbers]
            used = torch.tensor(
                [pairs[number][place] for number, some in zip(numbers, places, strict=True) for place in some]
            ).to(device, non_blocking=True)
            longest = max(lengths[group.pairs[0][1]] for group in batch)  # wrong passages may be cut to this
            inputs = data.pairs(used[:, 0], used[:, 1], longest)
            with torch.autocast(device.type, torch.bfloat16):
                spans, verdicts = model(*inputs)
            lessons: tuple[Tensor | None, Tensor | None] = (None, None)
            if lesson is not None:
                rows = [lesson.begins[number] + place for number, some in zip(numbers, places, strict=True)
                        for place in some]  # fmt: skip
                lessons = (lesson.spans(numbers, spans.shape[1]), lesson.verdicts[torch.tensor(rows, device=device)])
            sizes = [len(some) for some in places]
            loss = loss_of(batch, sizes, spans, verdicts, data.query_lengths[used[:, 0]], *lessons)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(chosen, 1.0)
            optimizer.step()
            total += loss.detach()
            step += 1
        epoch += 1
        print(f"epoch {epoch}: loss {total.item() / an_epoch:.4f}, {time.monotonic() - started:.0f} s", flush=True)
    return step


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=64, help="groups a step")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=0, help="groups used, to try it out")
    parser.add_argument("--drawn", type=int, default=DRAWN, help="wrong passages of a question in each epoch")
    parser.add_argument(
        "--again", nargs="*", default=[], help="sets whose questions are used once more, for each mention"
    )
    parser.add_argument(
        "--layers-only", action="store_true", help="keep the word vectors, and write the changes in 4 bits"
    )
    parser.add_argument("--seconds", type=int, default=0, help="time for all epochs, which sets their number")
    parser.add_argument("--nearest", type=Path, help="weights that find near passages, if not WEIGHTS")
    parser.add_argument("--teachers", type=Path, nargs="*", default=[])
    parser.add_argument("--teacher-weights", type=Path)
    parser.add_argument("--start", type=Path, help="trained tensors to go on from")
    parser.add_argument("--warm-up", type=int, default=300, help="steps until the rate is reached")
    train(parser.parse_args())
