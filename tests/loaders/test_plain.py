"""Plain text: encodings, the text kept exactly, and paragraphs with any line endings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.text.decode import decode
from readagent.loaders.text.plain import parse

JAPANESE = (
    "家の前には小さな川が流れている。朝になると近所の子どもたちが集まって、石を投げたり魚を追いかけたりして遊ぶ。"
)
KOREAN = "어젯밤에 비가 많이 와서 강물이 불어났다. 마을 사람들은 모두 산으로 올라갔지만 노인 한 사람만 집에 남았다."
CZECH = "Včera večer silně pršelo a řeka se zvedla. Všichni obyvatelé vesnice odešli na kopec, jen stařec zůstal doma."
SPANISH = "Anoche llovió mucho y el río creció. ¿Quién sabe? Mañana volverán los vecinos, dijo el anciano, sin temor."
TURKISH = "Dün akşam çok yağmur yağdı ve ırmak yükseldi. Köyün bütün sakinleri dağa çıktı, yalnız yaşlı bir adam kaldı."
ARABIC = "هطل المطر بغزارة ليلة أمس وارتفع النهر. ذهب جميع سكان القرية إلى الجبل، وبقي شيخ واحد في بيته."


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        (JAPANESE, "shift_jis euc_jp iso2022_jp"),
        (KOREAN, "euc_kr"),
        (CZECH, "cp1250 iso8859_2"),
        (SPANISH, "latin_1 mac_roman"),
        (TURKISH, "cp1254"),
        (ARABIC, "cp1256"),
    ],
)
def test_the_encoding_of_a_few_sentences_is_detected(text: str, encodings: str) -> None:
    for encoding in encodings.split():
        for long in (text, "\n".join([text] * 400)):
            assert decode(long.encode(encoding), "text.txt")[0] == long, encoding


@pytest.mark.parametrize("end", ["\n", "\x85"])
def test_paragraphs_with_any_line_endings(end: str) -> None:
    paragraphs = [
        "The ferry was late again,\nand nobody seemed to mind.",
        "Ada counted the crates.",
        "There were nine.",
    ]
    text = "\n\n".join(paragraphs).replace("\n", end)
    document = parse(text.encode(), "text.txt", Options())
    assert document.text == text
    assert [" ".join(document.text[p.start : p.end].split()) for p in document.paragraphs] == [
        " ".join(paragraph.split()) for paragraph in paragraphs
    ]


def test_a_text_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readagent.loaders.text.decode.MAX_CHARACTERS", 2000)
    with pytest.raises(LoadError) as caught:
        parse((b"x" * 2001), "long.txt", Options())
    assert "long.txt contains more than" in str(caught.value)
    assert caught.value.hint


@given(st.text(st.sampled_from("aé \t\r\n\x0b\x0c\u2028\x85#=-1IVX.CHAPTER"), max_size=300))
def test_paragraphs_tile_any_text(text: str) -> None:
    text = text.lstrip("\ufeff")
    document = parse(text.encode(), "any.txt", Options())
    assert document.text == text
    assert covers_text(document)


def covers_text(document: Document) -> bool:
    ends = [p.end for p in document.paragraphs]
    starts = [p.start for p in document.paragraphs]
    return starts == [0, *ends[:-1]][: len(starts)] and (ends[-1:] or [0]) == [len(document.text)]


@pytest.mark.parametrize(
    "heading",
    ["Chapter 1. The River", "Letter 4"],
)  # fmt: skip
def test_the_heading_of_the_first_chapter_is_not_the_title(heading: str) -> None:
    assert parse(f"{heading}\n\nAnna crossed the river.".encode(), "text.txt", Options()).title == ""
