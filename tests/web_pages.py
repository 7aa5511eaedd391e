"""Web pages for tests: a small shop, and long generated pages that contain one needed element."""

from __future__ import annotations

import json
import re
from random import Random

from readagent.core.model import Ask

SHOP = """<!doctype html><html><head><title>The lamp shop</title><style>a{}</style></head><body>
<header><nav><a href="/">Home</a> <a href="https://www.lamps.example/sale?ref=1">Sale</a></nav>
<form><label for="q">Search</label><input id="q" name="q" placeholder="Find a lamp"><button>
<i class="icon-search"></i></button></form></header>
<main><h1>Lamps</h1>
<select name="sort"><option>Newest</option><option selected>Cheapest first</option><option label="Best"></select>
<div class="card"><p>A brass lamp, <b>two</b> coins.</p><button data-readagent-id="40">Add to basket</button></div>
<div class="card" style="display: none"><button>Hidden</button></div>
<div aria-hidden="true"><a href="/ghost">Ghost</a></div>
<input type="hidden" name="token" value="t0k3n"><input type="password" name="p" value="hunter2">
<div contenteditable>Write here</div><div tabindex="0" onclick="open()"><img alt="Open the map"></div>
<table><tr><th>Lamp</th><td>Brass</td></tr><tr><td>Price</td><td><a href="/b">2</a></td></tr></table>
</main><script>var x = "<a href=/no>no</a>"</script></body></html>"""

_WORDS = (
    "amber brass copper dune ember fern glade harbor iris jade kelp lumen maple north ocean pearl quartz river".split()
)


def shop_page(words: int, seed: int = 0) -> str:
    """Return a shop of about this many words; exactly one item is a kettle, three quarters of the way down."""
    dice, items, count = Random(seed), list[str](), 0
    while count < words:
        number = len(items)
        text = " ".join(dice.choice(_WORDS) for _ in range(16))
        name = f"{dice.choice(_WORDS)} {dice.choice(_WORDS)} lamp {number}"
        items.append(
            f'<li><div class="card"><a href="/item/{number}">{name}</a><p>{text}</p><span>{dice.randint(2, 99)} coins'
            "</span><button>Add to basket</button></div></li>"
        )
        count += 26
    items[len(items) * 3 // 4] = (
        '<li><div class="card"><a href="/item/kettle">Cobalt kettle of the miller</a><p>The only kettle here.</p>'
        "<button>Buy this kettle</button></div></li>"
    )
    return (
        "<html><head><title>Long shop</title></head><body><div><header><nav><a href=/>Home</a></nav></header>"
        f"<main><section><ul>{''.join(items)}</ul></section></main></div></body></html>"
    )


def shopper(ask: Ask) -> str:
    """Answer from the prompt alone: gists name the first link and any kettle; then open and buy the kettle."""
    if ask.step == "gist":
        links = re.findall(r"<a id=(\w+)[^>]*>([^<]*)</a>", ask.prompt)
        named = [f"{name} [{one}]" for one, name in links if "kettle" in name] or [f"{n} [{i}]" for i, n in links[:1]]
        return f"Gist: Items: {', '.join(named) or 'none'}"
    if ask.step == "look_up":
        records = [json.loads(line) for line in ask.prompt.splitlines() if line.startswith('{"index"')]
        return f"Parts: {', '.join(str(one['index']) for one in records if 'kettle' in one['content'])}"
    bought = re.search(r"<button id=(\w+)>Buy this kettle", ask.prompt)
    return f"Action: click [{bought[1]}]" if bought else "I see no kettle."
