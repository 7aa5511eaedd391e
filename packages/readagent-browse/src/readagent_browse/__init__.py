"""Web navigation: gists and look-up applied to web pages, and an agent that decides and performs actions.

The names exported here and by ``readagent_browse.live`` are for users; the modules may change.
"""

from __future__ import annotations

from readagent_browse.dom import Element, Snapshot
from readagent_browse.goal import Action, Goal
from readagent_browse.snapshot import snapshot_of
from readagent_browse.step import WEB, Step, next_step

__all__ = ["WEB", "Action", "Element", "Goal", "Snapshot", "Step", "next_step", "snapshot_of"]
