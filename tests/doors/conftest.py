"""The doors that other programs come through use a library with a model on loopback, as the page does."""

from web.fixtures import model, serve

__all__ = ["model", "serve"]
