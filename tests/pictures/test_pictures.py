"""Pictures of people and timelines: nothing is on top of each other or outside, whatever names and numbers there are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from readagent.core.overviews.points import Person, Point, TimelineEvent
from readagent.pictures import MOST_PEOPLE, Box, columns_of, cut, page, people_picture, placed, timeline_picture

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SVG = "{http://www.w3.org/2000/svg}"
NAMES = (
    "Don Diego Fernández de la Cruz y Mendoza-Villanueva",
    "王小明",
    "欧阳修文忠公文正公司马光与王安石",
    "<b>&",
    "A",
)


def person(name: str, pages: list[int], mentions: int = 1) -> Person:
    return Person(name, (), Point(f"{name} is there."), (), tuple(pages), 0, 0, mentions)


def event(text: str, when: str = "", date: str = "") -> TimelineEvent:
    return TimelineEvent(Point(text, (0,)), when, date)


def crowd(count: int) -> list[Person]:
    dice = random.Random(count)
    return [person(f"Person {at} of {count}", dice.sample(range(40), dice.randint(1, 8)), at) for at in range(count)]


PICTURES = {
    "twelve": people_picture("Twelve", crowd(12)),
    "long and wide names": people_picture("Ein langer Titel " * 12, [person(name, [1, 2]) for name in NAMES]),
    "5,000 years": timeline_picture(
        "年表" * 60,
        [
            event("Writing begins.", "about 3000 BC"),
            event("今日は晴れです。" * 20, "二〇二四年五月三日"),
            event("Long" * 60),
        ],
        ["page 1", "page 2", "page 3"],
    ),
}


@pytest.mark.parametrize("count", [2, 30])
def test_no_node_covers_another_or_leaves_the_picture(count: int) -> None:
    dice = random.Random(count)
    boxes = {f"{at}": Box(dice.uniform(6, 22), dice.uniform(10, 180), 18) for at in range(count)}
    lines = {(one, other): 1 for one, other in combinations(boxes, 2) if dice.random() < 0.3}
    spots = placed(boxes, lines, 860, 900)
    edges = [boxes[name].edges(*spots[name]) for name in boxes]
    for a, b in combinations(edges, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert all(a[0] >= -0.01 and a[1] >= -0.01 and a[2] <= 860.01 and a[3] <= 900.01 for a in edges)
    assert spots == placed(boxes, lines, 860, 900)


def test_those_who_meet_most_stand_nearest() -> None:
    boxes = {name: Box(8, 40, 18) for name in ("Anna", "Bruno", "Clara", "David")}
    spots = placed(boxes, {("Anna", "Bruno"): 9, ("Clara", "David"): 9, ("Bruno", "Clara"): 1}, 860, 600)

    def apart(one: str, other: str) -> float:
        return sum((a - b) ** 2 for a, b in zip(spots[one], spots[other], strict=True))

    assert apart("Anna", "Bruno") < apart("Bruno", "Clara")
    assert apart("Clara", "David") < apart("Anna", "David")


def test_everybody_is_shown_also_those_who_appear_with_nobody() -> None:
    drawn = ElementTree.fromstring(people_picture("Some", [*crowd(8), person("Alone", [99])]))
    assert len(drawn.findall(f"{SVG}circle")) == 9
    assert sum("Alone" in "".join(one.itertext()) for one in drawn.findall(f"{SVG}text")) == 1
    many = ElementTree.fromstring(people_picture("Many", crowd(60)))
    assert len(many.findall(f"{SVG}circle")) == MOST_PEOPLE
    assert "30 of 60 people" in "".join(many.itertext())


@pytest.mark.parametrize("count", [8, 40])
def test_labels_and_circles_leave_room_for_each_other(count: int) -> None:
    """Names of wide letters, some of people who appear with nobody."""
    people = [person(f"William Mawwom {at}", [at % 7, 3] if at % 3 else [100 + at]) for at in range(count)]
    drawn = ElementTree.fromstring(people_picture("Crowd", people))
    boxes = [
        (float(one.attrib["cx"]) - float(one.attrib["r"]), float(one.attrib["cy"]) - float(one.attrib["r"]),
         float(one.attrib["cx"]) + float(one.attrib["r"]), float(one.attrib["cy"]) + float(one.attrib["r"]))
        for one in drawn.findall(f"{SVG}circle")
    ]  # fmt: skip
    for one in drawn.findall(f"{SVG}text[@class='label']"):
        x, y, half = float(one.attrib["x"]), float(one.attrib["y"]), 8.8 * len(one[0].tail or "") / 2
        boxes.append((x - half, y - 10, x + half, y + 3))
    for a, b in combinations(boxes, 2):
        assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]


def test_names_are_cut_by_their_width() -> None:
    assert cut("王小明", 6) == "王小明"
    assert columns_of(cut("欧阳修文忠公文正公", 10)) <= 10
    assert cut("Anna  \n Gray", 24) == "Anna Gray"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from readagent_browse.live.browser import find_browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        yield browser
        browser.close()


_TEXTS = """() => {
  const frame = document.querySelector('svg').getBoundingClientRect();
  return [...document.querySelectorAll('svg > text')].map(one => {
    const box = one.getBoundingClientRect();
    return [box.left - frame.left, box.top - frame.top, frame.right - box.right, frame.bottom - box.bottom,
            box.width, box.height];
  });
}"""
_COLOURS = """() => [getComputedStyle(document.body).backgroundColor,
  ...[...document.querySelectorAll('svg > text')].map(one => getComputedStyle(one).fill)]"""


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_texts_in_a_browser_do_not_overlap_and_can_be_read_light_and_dark(browser: Browser, name: str) -> None:
    for dark in (False, True):
        tab = browser.new_page(viewport={"width": 1000, "height": 700}, color_scheme="dark" if dark else "light")
        tab.set_content(page(name, PICTURES[name]))
        boxes = tab.evaluate(_TEXTS)
        assert all(min(left, top, right, bottom) >= 0 for left, top, right, bottom, _, _ in boxes)
        for a, b in combinations(boxes, 2):
            across = min(a[0] + a[4], b[0] + b[4]) - max(a[0], b[0])
            down = min(a[1] + a[5], b[1] + b[5]) - max(a[1], b[1])
            assert across < 2 or down < 4
        paper, *inks = [sum(map(float, one[4:-1].split(",")[:3])) / 3 for one in tab.evaluate(_COLOURS)]
        assert all(abs(paper - ink) > 90 for ink in inks)
        assert (paper < 60) is dark
        tab.close()
