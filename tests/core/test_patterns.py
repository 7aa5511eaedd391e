"""A lazy pattern does what the compiled one does, and a wrong one fails when it is used."""

from __future__ import annotations

import re

import pytest

from readagent.core.patterns import lazy_pattern


def test_a_lazy_pattern_matches_as_the_compiled_one_does() -> None:
    lazy, compiled = lazy_pattern(r"(\w+) (?P<last>b\w*)", re.I), re.compile(r"(\w+) (?P<last>b\w*)", re.I)
    for text in ("One Bell rang", "no match", ""):
        for _ in range(2):
            assert lazy.findall(text) == compiled.findall(text)
            assert bool(lazy.search(text)) == bool(compiled.search(text))
            assert lazy.sub(r"\g<last>", text) == compiled.sub(r"\g<last>", text)
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)


def test_it_is_compiled_when_it_is_first_used() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.search("text")
