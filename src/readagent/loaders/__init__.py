"""Load documents from files, folders, web pages and standard input.

``formats`` lists the formats; the parser of a format is imported only when a source needs it.
"""

from readagent.loaders.loading import Loaded, Skipped, combine, load, load_all, load_bytes
from readagent.loaders.sources.files import is_address, is_folder

__all__ = ["Loaded", "Skipped", "combine", "is_address", "is_folder", "load", "load_all", "load_bytes"]
