"""Web navigation: gists and look-up applied to web pages, and an agent that decides and performs actions.

The names exported here and by ``readagent.webnav.live`` are for users; the modules may change.
"""

from __future__ import annotations

from readagent.webnav.action import Action
from readagent.webnav.dom import Element, Snapshot
from readagent.webnav.goal import Goal
from readagent.webnav.snapshot import snapshot_of
from readagent.webnav.step import WEB, Step, next_step

__all__ = ["WEB", "Action", "Element", "Goal", "Snapshot", "Step", "next_step", "snapshot_of"]
