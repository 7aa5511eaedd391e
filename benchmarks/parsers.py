"""Replies in the forms that models use, with mutations: the share parsed correctly, parsing time, and worst cases.

Every form of reply is varied in case, markup and quoting, and with reasoning before, after or in a thinking block. A
mutation keeps the meaning, so the parser must find the same values (or none, for replies without a legal value). Worst
cases are replies and texts of 100 kB made of one thing (brackets, digits, tags, one long line), alone, between words
and after the start of a code block, given to every parser and to all code that handles raw text. A case is measured at
doubling sizes and stopped when one takes a quarter of a second of CPU before the last size. Growth is the steepest
ratio of two successive times above 1 ms: about 2 for linear work, 4 for quadratic, 8 for cubic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise, product
from time import process_time

from common import Rows, Value, arguments, manifest, print_figures, shown, write_results

from readagent.core.form import Choice
from readagent.core.gists.shorten import clean
from readagent.core.words import clause_ends, count_words, paragraph_starts, sentences

LABELS = Choice(tuple(str(n) for n in range(1, 60)), cues=("break point", "breakpoint", "label", "pause", "point"))
PAGES = Choice(tuple(str(n) for n in range(20)), least=0, most=3, cues=("page",))
NEXT = Choice((*(str(n) for n in range(8)), "STOP"), cues=("page",))
OPTIONS = Choice(("A", "B", "C", "D"), texts=("a red car", "the blue boat", "He went home", "none of these"))
VERDICT = Choice(("yes", "no", "not sure"))
CLAIM = Choice(("true", "false"), cues=("answer", "claim is", "statement is"))
RATING = Choice(("yes", "yes, partially", "no"))
KINDS = {"labels": LABELS, "pages": PAGES, "next page": NEXT, "options": OPTIONS, "verdict": VERDICT, "claim": CLAIM,
         "rating": RATING}  # fmt: skip

_THREE = ("1", "7", "57")
FORMS: list[tuple[str, tuple[str, ...] | None, list[str]]] = [  # kind of decision, meaning, forms
    *[("labels", (n,), [f"Break point: <{n}>", f"<{n}>", n, f"break point is {n}.", f"[{n}]", f"Label {n}",
                        f"The best break point is label {n}.", f"I would pause at <{n}>.",
                        f"Break point: <{n}>\nBecause the scene changes.", f'{{"answer": "{n}"}}']) for n in _THREE],
    ("labels", ("57",), ["I would pause at fifty-seven."]),
    ("labels", None, ["Break point: <0>", "Break point: <300>", "I'm sorry, but I can't help with that.",
                      "None of the labels is a good place."]),
    ("pages", ("2", "7"), ["I want to look up Page [2, 7] to find out.", "Page [2, 7]", "[2, 7]", "Pages 2 and 7",
                           "2, 7", "Page 2 and Page 7.", "I'd like to reread pages 2 & 7.", "Page [2], Page [7]",
                           "pages two and seven", '{"answer": ["2", "7"]}',
                           "I want to look up Page [2, 7, 2] to be sure."]),
    ("pages", ("2", "3", "4"), ["I want to look up Pages 2-4 to check."]),
    ("pages", ("5",), ["I want to look up Page [5] to find the 3 facts."]),
    ("pages", (), ["None", "I don't need any pages.", "No pages are needed.", "Page []",
                   "I do not need to look up any page.", '{"answer": []}']),
    ("pages", None, ["Page [99]", "I cannot help with that, as an AI language model."]),
    ("next page", ("7",), ["Page 7", "I want to see Page 7 next.", "7", "[7]", "Page [7]", '{"answer": "7"}',
                           "page seven"]),
    ("next page", ("STOP",), ["STOP", "I have seen enough after Page 3. STOP", '{"answer": "STOP"}']),
    ("next page", None, ["Page 12"]),
    ("options", ("C",), ["Answer: (C) He went home", "Answer: C", "(C)", "C", "The answer is C.", "Option C is right",
                         "The correct answer is (C).", "He went home", "the third option", '{"answer": "C"}',
                         "(A) is wrong, (B) is wrong.\nAnswer: (C)", "C) He went home", "C. He went home"]),
    ("options", None, ["E", "I think the answer is a man who left"]),
    ("verdict", ("yes",), ["yes", "Yes, a new chapter begins.", "Answer: yes", '{"answer": "yes"}']),
    ("verdict", ("no",), ["no", "No, it goes on.", "Answer: no", '{"answer": "no"}']),
    ("verdict", ("not sure",), ["not sure", "I'm not sure.", "Hard to say.", '{"answer": "not sure"}']),
    ("verdict", None, ["maybe"]),
    ("claim", ("true",), ["Answer: true", "True.", "The claim is true.", '{"answer": "true"}']),
    ("claim", ("false",), ["Answer: false", "False.", "The claim is not true.", "The claim is false.",
                           '{"answer": "false"}']),
    ("rating", ("yes, partially",), ["yes, partially", "Yes, partially.", "Partially", '{"answer": "yes, partially"}']),
    ("rating", ("yes",), ["Yes"]),
    ("rating", ("no",), ["No"]),
]  # fmt: skip
REPLIES = [(kind, reply, meant) for kind, meant, replies in FORMS for reply in replies]

MUTATIONS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "bold": lambda reply: f"**{reply}**",
    "bold first line": lambda reply: "\n".join([f"**{reply.splitlines()[0]}**", *reply.splitlines()[1:]]),
    "italic": lambda reply: f"_{reply}_",
    "code": lambda reply: f"`{reply}`",
    "fenced": lambda reply: f"```\n{reply}\n```",
    "heading": lambda reply: f"### {reply}",
    "quoted": lambda reply: f"> {reply}",
    "list item": lambda reply: f"- {reply}",
    "in quotation marks": lambda reply: f'"{reply}"',
    "CRLF and space": lambda reply: "  \r\n" + reply.replace("\n", "\r\n") + " \r\n\r\n",
    "full stop": lambda reply: reply if reply.endswith((".", "}")) else f"{reply}.",
    "thinking before": lambda reply: f"<think>\nPerhaps 3 or 4, or (B), yes or no, true or false?\n</think>\n\n{reply}",
    "thinking opened in the prompt": lambda reply: f"Perhaps 3 or 4, or (B), no, true?\n</think>\n\n{reply}",
    "reasoning before": lambda reply: f"Let me go through it again carefully.\n\n{reply}",
    "reasoning after": lambda reply: f"{reply}\n\nThat is where the scene in the harbour ends.",
}

PIECES = {
    "opening brackets": "[", "closing brackets": "]", "bracket pairs": "[]", "angle brackets": "<", "braces": "{",
    "round brackets": "(", "one number": "7", "numbers": "7 ", "numbers and commas": "7, ", "ranges": "7-",
    "bracketed numbers": "[7] ", "labels": "<7>", "pages": "page 7, ", "page words": "page ", "thinking": "<think>",
    "thinking closed": "</think>", "tag without end": "<think ", "answers": "answer: ", "options": "(A ",
    "letters": "A", "stars": "*", "underscores": "_", "underscores and words": "_a", "hashes": "#", "fences": "```\n",
    "line ends": "\n", "CRLF": "\r\n", "spaces": " ", "tabs": "\t", "space and line ends": " \n",
    "line ends and space": "\n ",
    "full stops": ".", "full stops and space": ". ", "stops and quotes": '."', "quotes": '"', "number words": "twenty ",
    "negations": "no ", "not": "not ", "verdicts": "yes ", "apologies": "I am sorry ", "words": "harbour ",
    "one long word": "a", "sentences": "He went home. ", "lower case after a stop": "end. of ", "abbreviations": "Mr. ",
    "dashes": "-", "hyphened": "a-", "JSON list": '["7", ', "escaped": "\\", "here is": "here is ", "notes": "\nnote: ",
    "shortened": "shortened ", "tag lines": "<Page 1>\n", "indented lines": "  word\n", "zero width": "\u200b",
    "Chinese": "中", "Chinese stops": "中。", "Thai": "ก", "emoji": "\U0001f600",
}  # fmt: skip
PLACES = {"": "{}", " between words": "He said {} and went home.", " after a fence": "```\n{} and so on"}
_LIMIT_MS = 50.0
_SIZES = [100_000 >> halvings for halvings in range(9, -1, -1)]
_LEAVE_MS = 250.0


def understood() -> tuple[list[dict[str, Value]], list[dict[str, Value]]]:
    """Return a row per mutation with the outcomes of parsing, and a row per failure."""
    rows: list[dict[str, Value]] = []
    failures: list[dict[str, Value]] = []
    for name, mutate in MUTATIONS.items():
        outcomes: Counter[str] = Counter()
        for kind, form, expected in REPLIES:
            reply = mutate(form)
            found = KINDS[kind].parse(reply)
            outcome = "right" if found == expected else "not understood" if found is None else "misread"
            outcomes[outcome] += 1
            if outcome != "right":
                failures.append({"kind": kind, "mutation": name, "reply": repr(reply), "expected": str(expected),
                                 "found": str(found)})  # fmt: skip
        rows.append({"mutation": name, "replies": len(REPLIES), **{key: outcomes[key] for key in _OUTCOMES}})
    return rows, failures


_OUTCOMES = ("right", "not understood", "misread")


def parse_time(rounds: int) -> float:
    """Return the mean microseconds to parse a reply, over all forms and mutations."""
    replies = [(KINDS[kind], mutate(form)) for kind, form, _ in REPLIES for mutate in MUTATIONS.values()]
    best = float("inf")
    for _ in range(rounds):
        began = process_time()
        for choice, reply in replies:
            choice.parse(reply)
        best = min(best, process_time() - began)
    return 1e6 * best / len(replies)


def workers() -> dict[str, Callable[[str], object]]:
    """Return the functions that take a whole reply or a whole text."""
    parsing: dict[str, Callable[[str], object]] = {f"parse {name}": choice.parse for name, choice in KINDS.items()}
    looking: dict[str, Callable[[str], object]] = {
        "clean a gist": clean,
        "find paragraphs": paragraph_starts,
        "find sentences": sentences,
        "find clauses": lambda text: list(clause_ends(text, 0, len(text))),
        "count words": count_words,
    }
    return {**parsing, **looking}


def worst_cases(sizes: list[int]) -> list[dict[str, Value]]:
    """Return a row per function and input: the time at the largest size tried, and its growth; worst first."""
    rows: list[dict[str, Value]] = []
    for (worker, work), (name, piece), (place, frame) in product(workers().items(), PIECES.items(), PLACES.items()):
        times: list[float] = []
        for size in sizes:
            text = piece * (size // len(piece.encode()))
            times.append(_milliseconds(work, frame.replace("{}", text)))
            if times[-1] > _LEAVE_MS:
                break
        growth = max((b / a for a, b in pairwise(times) if a > 1), default=0.0)
        made_of = f"{name}{place}"
        rows.append({"work": worker, "input": made_of, "kB": sizes[len(times) - 1] / 1000, "ms": times[-1],
                     "growth": growth})  # fmt: skip
    return sorted(rows, key=lambda row: (float(row["kB"]), -float(row["ms"])))


def _milliseconds(work: Callable[[str], object], text: str) -> float:
    """Return the time for one text; the better of two runs if it is short."""
    best = float("inf")
    for _ in range(2):
        began = process_time()
        work(text)
        best = min(best, 1000 * (process_time() - began))
        if best > _LIMIT_MS:
            break
    return best


def main() -> None:
    options = arguments(__doc__)
    rows, failures = understood()
    replies = len(REPLIES) * len(MUTATIONS)
    worst = worst_cases(_SIZES[-10:-8] if options.quick else _SIZES)
    slow = [row for row in worst if float(row["ms"]) > _LIMIT_MS]
    for failure in failures:
        print(*failure.values(), sep=" | ")
    early = [row for row in worst if row["kB"] != worst[-1]["kB"]]
    for row in (*early, *[row for row in slow if row not in early][:10]):
        print(*map(shown, row.values()), sep=" | ")
    figures: dict[str, Value] = {
        "replies": replies,
        "share_right": 1 - len(failures) / replies,
        "share_misread": sum(failure["found"] != "None" for failure in failures) / replies,
        "microseconds_a_parse": parse_time(3 if options.quick else 10),
        "worst_kb": worst[0]["kB"],
        "worst_ms": worst[0]["ms"],
        "cases_over_50_ms": len(slow),
        "cases_left_early": len(early),
        "cases_growing_faster_than_the_input": sum(float(row["growth"]) > 3 for row in worst),
        "cases": len(worst),
    }
    if not options.quick:
        parts: dict[str, Rows | str] = {
            "Replies understood": rows,
            "Replies not read as meant": [{k: str(v).replace("|", "\\|") for k, v in one.items()} for one in failures]
            or "None.",
            "Inputs left early": early or "None.",
            "Slowest of the others": [row for row in worst if row not in early][:20],
            "Figures": [{"figure": key, "value": value} for key, value in figures.items()],
        }
        write_results("parsers", "Reading replies", parts, manifest())
    print_figures(figures)


if __name__ == "__main__":
    main()
