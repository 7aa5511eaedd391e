"""Loaders: from a file, a folder, a page on the web or standard input to Documents.

``formats`` has a room for each format; a room is entered only when its format is met.
"""

from readagent.loaders.loading import Loaded, Skipped, bind, load, load_all
from readagent.loaders.sources.source import is_address, is_folder

__all__ = ["Loaded", "Skipped", "bind", "is_address", "is_folder", "load", "load_all"]
