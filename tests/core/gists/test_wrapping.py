"""Introductions and closing remarks around a gist are removed in several languages, and other gists stay whole."""

from __future__ import annotations

import pytest

from readagent.core.gists.shorten import clean

GIST = "Momme no puede ir a ningún sitio; Karl debe 4.000 marcos."
BEFORE = ["**Shortened passage**\n\n", "Hier ist die gekürzte Fassung:\n\n", "Voici la version abrégée :\n\n", "摘要："]
AFTER = ["\n\nLet me know if you'd like it shorter.", "\n\n(12 words)", "\n\n¿Desea que lo acorte más?"]  # fmt: skip


@pytest.mark.parametrize("before", BEFORE)
def test_an_introduction_is_removed(before: str) -> None:
    assert clean(f"{before}{GIST}") == GIST


@pytest.mark.parametrize("after", AFTER)
def test_closing_remarks_are_removed(after: str) -> None:
    assert clean(f"{GIST}{after}") == GIST


@pytest.mark.parametrize(
    "text",
    ["Hier ist Ada: sie blieb.", "Karl écrit.\nIl n'hésite pas à partir.", "摘要写得很短，卡尔不满意。"],
)  # fmt: skip
def test_a_gist_that_only_looks_wrapped_stays_whole(text: str) -> None:
    assert clean(text) == text
