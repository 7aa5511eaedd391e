"""Take the pictures of the page in docs/images: `make screenshots`.

A server with the offline reader and an empty library reads the example story, and a real browser uses its page as a
person would. The people are told by a model that is played. Needs the weights of the offline reader (`make weights`)
and Chromium (`make browser`).
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from readagent.agent import AsyncReadAgent
from readagent.library import Library
from readagent.settings import load_settings
from readagent.testing.loopback import LoopbackServer
from readagent.web.service import ServeOptions, Service
from readagent.web.serving import HttpServer, address_of, listening_socket
from readagent_browse.live.browser import find_browser
from record_demo import IMAGES, ROOT, weights

STORY = ROOT / "examples" / "story.txt"
QUESTION = "To whom did the Pelican with its glass porch belong?"
SIZE = {"width": 1440, "height": 900}
COLOURS = 160  # enough for a page that has few of them; a third of the size
TOKEN = "screenshots"
PEOPLE = """
Mira Kessel | Mira | verifier of weights | daughter: Jakob Orsin; daughter: Helen Kessel | 0, 1
Jakob Orsin | Orsin | weighmaster, put out of his post in 1959 | husband: Helen Kessel | 1, 10
Helen Kessel | Helen | Mira's mother, who tells her to bring the tin | | 0
Selma Valk | Selma | works at the weighbridge | | 2, 3
Irma Valk | Irma | | sister: Selma Valk | 4, 5
Anselm Roth | Anselm | | | 5
Mrs. Dragan | | keeps the Pelican, a raker's widow | | 3, 4
"""  # the reply of a model, which is played here


def main() -> None:
    """Take all pictures."""
    with (
        tempfile.TemporaryDirectory(prefix="screenshots-") as place,
        LoopbackServer().in_thread() as model,
        sync_playwright() as playwright,
    ):
        usual = model.answer
        model.answer = lambda prompt, how: PEOPLE if "| relations |" in prompt else usual(prompt, how)
        browser = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        try:
            with served(Path(place), model="local") as address:
                take(browser, address)
            with served(Path(place) / "played", model="skimmer", base_url=model.base_url) as address:
                take_people(browser, address)
        finally:
            browser.close()


@contextmanager
def served(home: Path, **chosen: str) -> Iterator[str]:
    """Serve an empty library with a model; yield the address of the page."""
    home.mkdir(exist_ok=True)
    (home / "models").symlink_to(weights())
    os.environ["READAGENT_HOME"] = str(home)
    settings = load_settings(chosen)
    service = Service(
        AsyncReadAgent.from_settings(settings, library=Library(home / "library.db")), ServeOptions(token=TOKEN)
    )
    listener = listening_socket("127.0.0.1", 0)
    service.start()
    server = HttpServer(service)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield address_of(listener, "127.0.0.1", token=TOKEN)
    finally:
        server.stop()
        thread.join()
        listener.close()
        service.close()


def take(browser: Browser, address: str) -> None:
    """Use the page, and take a picture at each step."""
    tab = opened(browser, address, "light")
    tab.set_input_files("[aria-label='Files to add']", STORY)
    tab.wait_for_selector(".estimate-text")
    picture(tab, "serve-library")
    tab.click(".estimate button.main")
    tab.wait_for_selector(".read-state.yes", timeout=300_000)
    tab.click(".document .title")
    tab.wait_for_selector(".tile .gist")
    tab.fill("#question", QUESTION)
    tab.press("#question", "Enter")
    tab.wait_for_selector(".exchange:not(.live) .quote", timeout=300_000)
    room = tab.url
    follow(tab)
    picture(tab, "serve-room")
    dark = opened(browser, address, "dark")
    dark.goto(room)
    dark.wait_for_selector(".quote")
    follow(dark)
    picture(dark, "serve-room-dark")


def take_people(browser: Browser, address: str) -> None:
    """Take the picture of the people of the story, which the offline reader does not list."""
    tab = opened(browser, address, "light")
    tab.set_input_files("[aria-label='Files to add']", STORY)
    tab.click(".estimate button.main")
    tab.wait_for_selector(".read-state.yes", timeout=300_000)
    tab.click(".document .title")
    tab.wait_for_selector(".tile .gist")
    tab.click("#tab-people")
    tab.click(".offer button")
    tab.wait_for_selector(".drawing .person", timeout=300_000)
    picture(tab, "serve-people")


def opened(browser: Browser, address: str, scheme: str) -> Page:
    """Open the page in a tab of its own."""
    context = browser.new_context(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    tab = context.new_page()
    tab.goto(address)
    tab.wait_for_selector("main h1")
    return tab


def follow(tab: Page) -> None:
    """Follow the first quote into the text."""
    tab.click(".quote >> nth=0")
    tab.evaluate("document.activeElement.blur()")


def picture(tab: Page, name: str) -> None:
    """Take a picture of what a tab shows, once everything has arrived."""
    tab.mouse.move(0, 0)
    tab.evaluate("document.fonts.ready.then(() => new Promise((drawn) => setTimeout(drawn, 500)))")
    taken = Image.open(BytesIO(tab.screenshot())).convert("RGB")
    taken.quantize(COLOURS, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
