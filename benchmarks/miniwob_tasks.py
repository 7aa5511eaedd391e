"""The tasks of MiniWoB that are not among those played by default, and why."""

from __future__ import annotations

LEFT_OUT = {
    "solved too (seeds 0, 1, 2): a task of the table with other settings": (
        "choose-date-nodelay click-collapsible-2-nodelay click-collapsible-nodelay click-tab-2-easy click-tab-2-hard "
        "click-tab-2-medium click-test-transfer"
    ),
    "not possible: told by shape, colour or place, of which a page as text has nothing": (
        "ascending-numbers bisect-angle circle-center click-color click-pie click-pie-nodelay click-shades click-shape "
        "count-shape count-sides find-midpoint grid-coordinate hot-cold hover-shape identify-shape right-angle "
        "use-colorwheel use-colorwheel-2 visual-addition"
    ),
    "solved too (seeds 0, 1, 2): by dragging": "drag-box drag-items drag-items-grid drag-sort-numbers",
    "not possible: shapes, which a page as text does not tell, or dragging to a point where no element is": (
        "drag-circle drag-cube drag-shapes drag-shapes-2 drag-single-shape"
    ),
    "not possible: drawing, resizing or selecting text with the mouse": (
        "daily-calendar draw-circle draw-line highlight-text highlight-text-2 resize-textarea text-editor"
    ),
    "not possible: depends on the moment of an action": (
        "button-delay chase-circle moving-items simon-says stock-market"
    ),
    "solved too (seeds 0, 1, 2): by clicking, typing and selecting": (
        "click-checkboxes-soft click-scroll-list click-widget email-inbox-forward-nl email-inbox-forward-nl-turk "
        "email-inbox-nl-turk email-inbox-star-reply form-sequence-3 generate-number guess-number terminal use-spinner"
    ),
    "solved too (seeds 0, 1, 2): by hovering": "click-menu click-menu-2",
    "solved too (seeds 0, 1, 2): by pressing keys": "form-sequence scroll-text-2 use-slider use-slider-2",
    "solved too (seeds 0, 1, 2): by copying and pasting with keys, if the person who is asked agrees": (
        "copy-paste copy-paste-2"
    ),
    "solved in part (seeds 0 and 1; seed 2 is a draw): the moves of the other player are random": "tic-tac-toe",
    "solved in part (seed 1, which needs no scrolling): a disabled text area has no id and cannot be scrolled": (
        "sign-agreement"
    ),
    "not possible: the pattern to copy is only in a picture": "number-checkboxes",
}
"""Names of tasks by the reason."""
SOLVED_TOO = tuple(name for why, names in LEFT_OUT.items() if why.startswith("solved") for name in names.split())
"""Those that the oracle has a policy for."""


def rows() -> list[dict[str, str | int]]:
    """Return a line for each reason."""
    return [
        {"why": why, "tasks": len(names.split()), "names": ", ".join(names.split())} for why, names in LEFT_OUT.items()
    ]
