"""Small documents, memories and answers to store in a library, and strategies that generate unusual ones."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.trace import Call, Fallback, Trace, Usage
from readagent.core.words import Paragraph, count_words
from readagent.library import Library

STORY = "The ferryman's lamp\r\n\r\nAnna crossed the river at night.\r\n\r\nHer café was closed; nobody came.\r\n"

# Any text at all: line ends of every kind, NUL, halves of surrogate pairs.
texts = st.text(st.characters(exclude_categories=()), max_size=60)
marks = st.lists(st.tuples(st.integers(0, 2**31), texts), max_size=2).map(tuple)
paragraphs = st.builds(
    Paragraph, *[st.integers(0, 2**31)] * 3, heading=st.integers(0, 6), place=texts, marks=marks, speaker=texts
)  # fmt: skip
documents = st.builds(
    Document,
    texts,
    st.lists(paragraphs, max_size=5).map(tuple),
    title=texts,
    source=texts,
    metadata=st.dictionaries(texts, texts, max_size=3),
    kind=texts,
    code=texts,
    source_end=st.none() | st.integers(0, 2**31),
)
costs = st.none() | st.floats(0, 100)
counts = st.integers(0, 10**9)
usages = st.builds(Usage, counts, counts, counts, costs)
calls = st.builds(
    Call,
    st.sampled_from(["gist", "look_up"]),
    counts,
    counts,
    usages,
    st.floats(0, 1000),
    st.booleans(),
    st.sampled_from(["stop", "length", "refused", "filtered"]),
    texts,
    texts,
)
fallbacks = st.builds(Fallback, texts, texts, texts, st.none() | counts)
traces = st.builds(Trace, st.booleans(), st.lists(calls, max_size=3), st.lists(fallbacks, max_size=3))
plans = st.builds(Plan, task=texts, instructions=texts, max_pages=st.integers(0, 9), nudge=st.booleans())
gists = st.builds(Gist, texts, counts, st.sampled_from(["model", "verbatim", "lead"]))
questions = (
    st.builds(Question, texts.filter(str.strip))
    | st.builds(Question.choice, texts.filter(str.strip), st.lists(texts, min_size=2, max_size=30))
    | st.builds(Question.claim, texts.filter(str.strip))
)
page_numbers = st.lists(st.integers(0, 500), max_size=6).map(tuple)
answers = st.builds(
    Answer, questions, texts, st.none() | st.just("B"), page_numbers, page_numbers, st.floats(-1, 1), traces
)


@st.composite
def memories(draw: st.DrawFn) -> GistMemory:
    """A memory whose pages tile its document."""
    document = draw(documents)
    cuts = sorted(draw(st.sets(st.integers(0, len(document.text)), max_size=4)) | {0, len(document.text)})
    spans = list(itertools.pairwise(cuts))
    pages = tuple(Page(i, a, b, count_words(document.text[a:b])) for i, (a, b) in enumerate(spans))
    some = draw(st.lists(gists, min_size=len(pages), max_size=len(pages)))
    window = draw(st.none() | counts)
    return GistMemory(document, pages, tuple(some), draw(plans), draw(texts), "f1", window, draw(traces))


def memory_of(
    text: str = STORY, *, title: str = "", source: str = "", gist: str = "short", size: int = 40
) -> GistMemory:
    """A memory with a page for every ``size`` characters."""
    document = Document.from_text(text, title=title, source=source)
    cuts = [*range(0, len(text), size), len(text)]
    pages = tuple(Page(i, a, b, count_words(text[a:b])) for i, (a, b) in enumerate(itertools.pairwise(cuts)))
    gists = tuple(Gist(f"{gist} {page.number}", 2) for page in pages)
    return GistMemory(document, pages, gists, Plan(), "model-1", "prompts-1")


def answer_to(text: str = "Who is Anna?") -> Answer:
    """An answer with a trace of one call."""
    call = Call("respond", 10, 3, Usage(12, 4, 0, 0.01), 0.5, True, "stop", "the prompt", "A ferryman.")
    return Answer(Question(text), "A ferryman.", None, (1, 0), (2,), 0.5, Trace(True, [call], []))


def kept(library: Library, memory: GistMemory, key: str = "") -> str:
    """Store a memory as a finished reading, and return the id of its document."""
    document = library.add(memory.document)
    reading = library.start_reading(document, key or memory.key, model="m", prompts="p", plan=memory.plan, window=None)
    library.finish_reading(reading, memory)
    return document
