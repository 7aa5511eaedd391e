"""Overviews as pictures: self-contained SVG and HTML files that show in any browser, light or dark."""
