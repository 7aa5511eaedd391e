"""Introductions and closing remarks around a gist are removed in several languages, and other gists stay whole."""

from __future__ import annotations

import pytest

from readagent.core.gists.check import Check
from readagent.core.gists.shorten import clean, judge_gist
from readagent.core.model import Reply
from readagent.core.words import count_words

GIST = "Momme no puede ir a ningún sitio; Karl debe 4.000 marcos."
BEFORE = [
    "**Shortened passage**\n\n", "Sure! Here's the shortened passage:\n\n",
    "Note: I can't reproduce the whole text, but here is a summary.\n\n",
    "Hier ist die gekürzte Fassung:\n\n", "Gekürzte Fassung: ", "**Zusammenfassung:** ", "## Zusammenfassung\n\n",
    "Gerne! Hier ist der gekürzte Text:\n", "Voici la version abrégée :\n\n", "**Résumé :** ",
    "Bien sûr ! Voici le passage raccourci :\n\n", "Voici un résumé du passage :\n",
    "Aquí está la versión abreviada:\n\n", "**Resumen:** ", "¡Claro! Aquí tienes el resumen:\n",
    "Ecco la versione abbreviata:\n\n", "Certo! Ecco il testo:\n\n", "Aqui está o resumo:\n\n", "Versão resumida: ",
    "Вот сокращённый вариант:\n\n", "**Краткое содержание:** ", "以下是缩短后的文本：\n\n", "摘要：", "好的，以下是摘要：\n",
    "Hier die gekürzte Version:\n\n", "Kurz zusammengefasst: ", "Ecco una versione più breve del brano:\n\n",
    "Вот краткое содержание отрывка:\n\n", "以下是对该段落的缩写：\n\n", "以下に要約を示します：\n\n", "【要約】\n",
    "承知しました。以下、要約です。\n\n", "以下は要約です：\n\n", "要約：", "はい、短縮した文章です。\n\n",
]  # fmt: skip
AFTER = [
    "\n\nLet me know if you'd like it shorter.", "\n\n(12 words)", "\n\nIch hoffe, das hilft Ihnen weiter!", "\n\n(78 Wörter)",
    "\n\nN'hésitez pas à me demander si vous souhaitez une autre version.", "\n\n(45 mots)", "\n\n¿Desea que lo acorte más?",
    "\n\nEspero que esto te ayude.", "\n\nSpero che questo ti aiuti!", "\n\nEspero que isso ajude!",
    "\n\nНадеюсь, это поможет!", "\n\n希望对您有帮助！", "\n\n（78字）", "\n\nご不明な点がございましたらお知らせください。",
    "\n\nWenn Sie möchten, kann ich den Text weiter kürzen.", "\n\nSi necesitas algo más, no dudes en decirlo.",
    "\n\n(78 Wörter)\n\nIch hoffe, das hilft!",
]  # fmt: skip


@pytest.mark.parametrize("before", BEFORE)
def test_an_introduction_is_removed(before: str) -> None:
    assert clean(f"{before}{GIST}") == GIST


@pytest.mark.parametrize("after", AFTER)
def test_closing_remarks_are_removed(after: str) -> None:
    assert clean(f"{GIST}{after}") == GIST


@pytest.mark.parametrize(
    "text",
    [
        "Hier ist Ada: sie blieb.", "Voici la lettre : Karl part jeudi.", "Ecco Momme: non sa dove andare.",
        "Вот письмо: Карл уезжает.", "Zusammenfassungen liest Karl nie: er hat keine Zeit.", "Die Mole ist leer.\nEr hofft.",
        "Karl écrit.\nIl n'hésite pas à partir.", "Momme bleibt.\n78 Wörter schrieb ihm Karl zum Abschied.",
        "Karl liest in der Zusammenfassung: Momme bleibt.", "摘要写得很短，卡尔不满意。", "要約を読んだカールは黙っていた。", "Résumé en main, Karl cherche un emploi.",
    ],
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
