"""The live agent: it reads pages in a real browser and acts on them step by step, within limits that the user sets."""

from __future__ import annotations

from readagent_browse.live.browsing import BrowseOptions, browse, browse_and_wait
from readagent_browse.live.secrets import Secret
from readagent_browse.live.visit import Limits, Visit, VisitStep, agree, refuse

__all__ = ["BrowseOptions", "Limits", "Secret", "Visit", "VisitStep", "agree", "browse", "browse_and_wait", "refuse"]
