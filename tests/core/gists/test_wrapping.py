"""Introductions and closing remarks around a gist are removed in several languages, and other gists stay whole."""

from __future__ import annotations

import pytest

from readagent.core.gists.check import Check
from readagent.core.gists.shorten import clean, judge_gist
from readagent.core.model import Reply
from readagent.core.words import count_words

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


@pytest.mark.parametrize("wrapped", [f"**Resumen:** {GIST}", f"{GIST}\n\n¿Desea que lo acorte más?"])
def test_a_good_gist_is_not_lost_for_its_wrapping(wrapped: str) -> None:
    page = (
        "El farero, el viejo Momme, no tenía adónde ir: no puede ir a ningún sitio, escribió Karl, que debe todavía unos"
        " 4.000 marcos desde la noche de la gran inundación y nunca los ha pagado, según dice la carta."
    )
    check = Check()
    assert judge_gist(Reply(wrapped), count_words(page), None, lambda gist: check.problem(gist, page)) == (GIST, "")
