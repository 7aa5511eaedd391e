"""Boxes on a page, and how they are turned so that text is upright."""

from __future__ import annotations

Box = tuple[float, float, float, float]  # left, bottom, right, top; points from the lower left corner


def upright(box: Box, rotation: int, bounds: Box) -> Box:
    """Return a box on the page rotated so that its text is upright: left, top, right, bottom."""
    left, bottom, right, top = box
    west, south, east, north = bounds
    if rotation == 1:
        return bottom - south, left - west, top - south, right - west
    if rotation == 2:
        return east - right, bottom - south, east - left, top - south
    if rotation == 3:
        return north - top, east - right, north - bottom, east - left
    return left - west, north - top, right - west, north - bottom
