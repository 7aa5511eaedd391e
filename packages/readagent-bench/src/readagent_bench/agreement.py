"""Agreement: of raters with each other and with labels of people, and of runs with each other."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, ClassVar, get_args

from readagent.errors import UsageError
from readagent_bench.folder import LABELS, Key, RunFolder
from readagent_bench.rate import Grade, Rating, ratings_of
from readagent_bench.records import Prediction

_GRADES: tuple[Grade, ...] = tuple(grade for grade in get_args(Grade) if grade != "unrated")
_FIELDS = ("case", "example", "question")  # that say nothing about the method


@dataclass(frozen=True, slots=True)
class Label:
    """The grade that a person gave an answer."""

    FILE: ClassVar[str] = LABELS

    run: int
    method: str
    case: str
    example: str
    text: str
    grade: Grade

    @property
    def key(self) -> tuple[int, str, str, str, str]:
        """Prediction and answer, so that the label of an answer is not that of a later one."""
        return self.run, self.method, self.case, self.example, self.text


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two sides gave ``count`` answers the same label: as a ``share``, and as Cohen's kappa.

    Kappa is 0 where they agree as often as by chance and 1 where they always agree; None if one label is all there is.
    ``higher`` counts the answers that the first side gave the better grade.
    """

    first: str
    second: str
    count: int
    share: float
    kappa: float | None
    higher: int = 0


def agreement(first: str, second: str, pairs: Sequence[tuple[Hashable, Hashable]]) -> Agreement | None:
    """Return the agreement of two sides over pairs of labels; None without any."""
    if not pairs:
        return None
    same = sum(one == other for one, other in pairs) / len(pairs)
    left, right = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(left[label] * right[label] for label in left) / len(pairs) ** 2
    kappa = None if chance == 1 else (same - chance) / (1 - chance)
    order: dict[Hashable, int] = {grade: place for place, grade in enumerate(_GRADES)}
    higher = sum(order[one] < order[other] for one, other in pairs if one in order and other in order)
    return Agreement(first, second, len(pairs), same, kappa, higher)


def between_raters(folder: RunFolder) -> list[Agreement]:
    """Return the agreement of every two raters of a run, over the answers that both gave a grade."""
    grades = {rater: _grades(folder, rater) for rater in sorted({one.rater for one in folder.records(Rating)})}
    found = (_of_both(one, grades[one], other, grades[other]) for one, other in combinations(grades, 2))
    return [one for one in found if one is not None]


def between_runs(predictions: Sequence[Prediction], right: Mapping[Key, bool]) -> Agreement | None:
    """Return how often two runs of a method are both right or both wrong on a question, over all pairs of runs."""
    by_question: dict[tuple[str, str], list[bool]] = {}
    for one in sorted(predictions, key=lambda one: one.key):
        if one.key in right:
            by_question.setdefault((one.case, one.example), []).append(right[one.key])
    pairs = [pair for verdicts in by_question.values() for pair in combinations(verdicts, 2)]
    return agreement("one run", "another", pairs)


def with_labels(folder: RunFolder) -> list[Agreement]:
    """Return the agreement of each rater of a run with the labels of people that the run has."""
    labels = labels_of(folder)
    raters = sorted({one.rater for one in folder.records(Rating)}) if labels else []
    found = (_of_both(rater, _grades(folder, rater), "labels", labels) for rater in raters)
    return [one for one in found if one is not None]


def labels_of(folder: RunFolder) -> dict[Key, Grade]:
    """Return the labels of people that a run has, of answers that have not changed since."""
    labels = {one.key: one.grade for one in folder.records(Label)}
    predictions = folder.records(Prediction) if labels else []
    return {one.key: labels[*one.key, one.text] for one in predictions if (*one.key, one.text) in labels}


def keep_labels(folder: RunFolder, labels: Mapping[Key, Grade]) -> None:
    """Add labels of people to a run. A later label of an answer replaces an earlier one."""
    known, texts = labels_of(folder), {one.key: one.text for one in folder.records(Prediction)}
    for key, grade in labels.items():
        if known.get(key) != grade:
            folder.add(Label(*key, texts[key], grade))


def _grades(folder: RunFolder, rater: str) -> dict[Key, Grade]:
    return {key: one.grade for key, one in ratings_of(folder, rater).items() if one.grade != "unrated"}


def _of_both(first: str, grades: Mapping[Key, Grade], second: str, others: Mapping[Key, Grade]) -> Agreement | None:
    return agreement(first, second, [(grades[key], others[key]) for key in grades if key in others])


def sheet(folder: RunFolder, count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Return free answers of a run to be labelled by a person, drawn at random.

    They show neither which method gave an answer nor what raters said of it.
    """
    free = [one for one in folder.records(Prediction) if one.references and one.kind == "free" and one.text.strip()]
    if not free:
        raise UsageError(f"{folder.path} has no free answers to label", hint="options and claims need no rater")
    drawn = Random(seed).sample(sorted(free, key=lambda one: one.key), min(count, len(free)))
    return [
        {
            "id": label_id(one.key),
            **{name: getattr(one, name) for name in _FIELDS},
            "references": list(one.references),
            "answer": one.text,
            "grade": "",
        }
        for one in drawn
    ]


def label_id(key: Key) -> str:
    """Return the name of an answer in a file of labels, which does not tell its method."""
    return hashlib.sha256(json.dumps(key).encode("ascii")).hexdigest()[:16]


def read_labels(file: Path, folder: RunFolder) -> dict[Key, Grade]:
    """Return the labels in a file that `sheet` began; lines whose grade is empty are left out.

    A line may also name an answer by its ``run``, ``method``, ``case`` and ``example``. Raises UsageError for a line
    that is wrong, with its number.
    """
    texts = {one.key: one.text for one in folder.records(Prediction)}
    keys = {label_id(key): key for key in texts}
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from None
    found: dict[Key, Grade] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            key, grade = _label(line, f"{file.name}, line {number}", texts, keys)
            if grade is not None:
                found[key] = grade
    if not found:
        raise UsageError(f"{file} has no labels", hint=f"fill in the grades: {', '.join(_GRADES)}")
    return found


def _label(line: str, where: str, texts: Mapping[Key, str], keys: Mapping[str, Key]) -> tuple[Key, Grade | None]:
    try:
        value = json.loads(line)
        named = str(value["id"]) if "id" in value else ""
        if named and named not in keys:
            raise UsageError(f"{where}: the run has no answer {named!r}", hint="give the file of this run")
        key = keys[named] if named else _key(value)
    except (ValueError, TypeError, KeyError) as error:
        missing = f"it has no {error}" if isinstance(error, KeyError) else "it is not a JSON object of this form"
        raise UsageError(
            f"{where}: {missing}", hint="`readagent bench agree RUN --sample 50` writes such a file"
        ) from None
    if key not in texts:
        raise UsageError(f"{where}: the run has no answer of {key[1]} to {key[3]}", hint="give the file of this run")
    if "answer" in value and value["answer"] != texts[key]:
        raise UsageError(f"{where}: the answer to {key[3]} is another one in the run", hint="label the new answer")
    grade = str(value.get("grade") or "").strip().lower()
    if not grade:
        return key, None
    for known in _GRADES:
        if grade == known:
            return key, known
    raise UsageError(f"{where}: unknown grade {grade!r}", hint=f"grades: {', '.join(_GRADES)}")


def _key(value: Mapping[str, Any]) -> Key:
    return int(value["run"]), str(value["method"]), str(value["case"]), str(value["example"])
