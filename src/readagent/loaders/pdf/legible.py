"""Tell text from nonsense where the fonts of a PDF do not say which characters they draw.

Older files of TeX have fonts without names of characters, but with the codes of ASCII for letters. In other files such
codes mean nothing. A document with common words in it is text.
"""

from __future__ import annotations

import re

from readagent.loaders.pdf.pdfium import Pdf

_COMMON_WORDS = re.compile(
    r"(?<![^\W\d_])(?:the|and|for|with|that|this|der|die|und|den|das|mit|les|des|est|pour|dans|que|los|las|con|para|del|che"
    r"|non|per|een|het|van|och|att|som|nie|jest)(?![^\W\d_])"
)
_MIN_COMMON = 0.015  # of the words; a manual with many tables has two per cent
_PAGES = 12  # that are looked at


def reads_like_text(pdf: Pdf) -> bool:
    """Whether a sample of the pages has common words of a language."""
    words = common = 0
    for number in range(0, pdf.pages, pdf.pages // _PAGES + 1):
        with pdf.page(number) as page:
            text = page.text.casefold() if page else ""
        words += len(text.split())
        common += len(_COMMON_WORDS.findall(text))
    return common > 0 and common >= _MIN_COMMON * words
