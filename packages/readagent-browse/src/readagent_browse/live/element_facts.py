"""ElementFacts: what is known of an element before an action on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ElementFacts:
    """What element_facts.js found: the tag, the kind (role or type), the name, and the link it belongs to.

    ``secret`` marks fields for passwords, card numbers and one-time codes. ``host`` is that of its page or frame, with
    the port if there is one, as the browser says and not the page.
    """

    tag: str
    kind: str = ""
    name: str = ""
    link: str = ""
    secret: bool = False
    host: str = ""
