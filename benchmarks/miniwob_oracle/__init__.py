"""A scripted model for MiniWoB: it knows how some tasks are solved, but sees only the prompts."""

from __future__ import annotations

from .model import Oracle
from .policies import TASKS

__all__ = ["TASKS", "Oracle"]
