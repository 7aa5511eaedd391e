"""A scripted model for MiniWoB: it knows how each task is solved, but sees only the prompts."""

from __future__ import annotations

from .model import Oracle

__all__ = ["Oracle"]
