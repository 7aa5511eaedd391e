"""Settings of Sphinx for the site: `make docs`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

SITE = Path(__file__).resolve().parent
ROOT = SITE.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
sys.path[:0] = [str(SITE), str(SITE.parent)]

project = "ReadAgent"
author = project_copyright = PROJECT["authors"][0]["name"]
version = release = PROJECT["version"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "navigation", "repository_links", "api_pages", "llms"]
exclude_patterns = ["**/*.py"]
suppress_warnings = ["config.cache"]

myst_heading_anchors = 4  # the anchors of a code host: #reading-and-asking

autodoc_mock_imports = ["langchain_core", "llama_index"]  # the adapters are described without their packages
autodoc_preserve_defaults = True
autodoc_type_aliases = {"Event": "Event", "Listener": "Listener", "Fault": "Fault"}
autodoc_default_options = {"members": True, "undoc-members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
repository = PROJECT["urls"]["Homepage"]
about = PROJECT["description"]

html_theme = "furo"
html_title = f"ReadAgent {version}"
html_static_path = ["static"]
templates_path = ["templates"]
html_css_files = ["style.css"]
html_js_files = ["version_menu.js"]
html_copy_source = False
html_theme_options = {
    "source_repository": repository,
    "source_branch": "main",
    "source_directory": "docs/",
}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
