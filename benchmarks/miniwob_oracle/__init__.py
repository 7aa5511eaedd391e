"""A scripted model for MiniWoB: it knows how each MiniWoB task is solved, and sees nothing but the prompts."""

from __future__ import annotations

from .model import Oracle

__all__ = ["Oracle"]
