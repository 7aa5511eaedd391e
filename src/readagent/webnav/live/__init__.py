"""The live agent: a real browser is looked at, remembered and acted on, step by step, within limits a user sets."""

from __future__ import annotations

from readagent.webnav.live.loop import browse, browse_and_wait
from readagent.webnav.live.visit import Limits, Taken, Visit, agree, refuse

__all__ = ["Limits", "Taken", "Visit", "agree", "browse", "browse_and_wait", "refuse"]
