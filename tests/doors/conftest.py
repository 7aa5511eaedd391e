"""A library with a model on loopback, for the doors that other programs come through."""

from web.fixtures import model, serve

__all__ = ["model", "serve"]
