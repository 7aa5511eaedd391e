"""Plans that were stored by earlier versions are read."""

from __future__ import annotations

from readagent.core.plan import preset
from readagent.library.pack import seal, to_json
from readagent.library.readings import _plan


def test_the_look_up_auto_of_a_stored_plan_is_read_as_the_usual_one() -> None:
    stored = seal(to_json({"page_words": 600, "look_up": "auto"}))
    assert _plan(stored).look_up == preset("auto").look_up
