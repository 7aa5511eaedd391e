"""The live agent: a real browser is looked at, remembered and acted on, step by step, within limits a user sets."""

from __future__ import annotations

from readagent.webnav.live.visit import Limits, Visit, VisitStep, agree, refuse
from readagent.webnav.live.visiting import browse, browse_and_wait

__all__ = ["Limits", "Visit", "VisitStep", "agree", "browse", "browse_and_wait", "refuse"]
