"""A print shop for tests: small PDFs, written by hand, with every word where the test wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 400, 600
_FONTS = {"roman": "Times-Roman", "bold": "Times-Bold", "mono": "Courier"}
_PICTURE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
)


@dataclass(slots=True)
class Page:
    """A page and what is printed on it. Places are counted from its top left, in points."""

    content: list[str] = field(default_factory=list)
    rotate: int = 0

    def put(self, left: float, base: float, text: str, size: float = 10, font: str = "roman", mode: int = 0) -> Page:
        """Print a text on a baseline; ``mode`` 3 is invisible."""
        return self.turned((1, 0), left, base, text, size, font, mode)

    def turned(
        self,
        way: tuple[float, float],
        left: float,
        base: float,
        text: str,
        size: float,
        font: str = "roman",
        mode: int = 0,
    ) -> Page:
        """Print a text that runs in the direction of ``way``, from left to right and upwards."""
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        x, y = way
        self.content.append(
            f"BT /{font} {size} Tf {mode} Tr {x} {y} {-y} {x} {left} {HEIGHT - base} Tm ({escaped}) Tj ET"
        )
        return self

    def lines(self, left: float, base: float, lines: Sequence[str], size: float = 10, leading: float = 12) -> Page:
        """Print lines one under the other."""
        for number, line in enumerate(lines):
            self.put(left, base + leading * number, line, size)
        return self

    def picture(self) -> Page:
        """Cover the page with a picture."""
        self.content.append(f"q {WIDTH} 0 0 {HEIGHT} 0 0 cm /Picture Do Q")
        return self


def printed(
    pages: Sequence[Page],
    facts: dict[str, str] | None = None,
    *,
    outline: Sequence[tuple[str, int]] = (),
    catalogue: str = "",
) -> bytes:
    """The PDF of these pages. ``outline`` holds titles and the pages, from 0, that they lead to."""
    fonts = " ".join(
        f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>"
        for name, font in _FONTS.items()
    )
    resources = f"/Resources << /Font << {fonts} >> /XObject << /Picture 3 0 R >> >>"
    first = 5  # the first page; its content follows it
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    facts_number, outline_number = 4, first + 2 * len(pages)
    extra = f"/Outlines {outline_number} 0 R {catalogue}" if outline else catalogue
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {extra} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _PICTURE + b"\nstream\n\x80\nendstream",
        ("<< " + " ".join(f"/{name} ({value})" for name, value in (facts or {}).items()) + " >>").encode("cp1252"),
    ]
    for number, page in enumerate(pages):
        box = f"/MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {page.rotate}"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {box} /Contents {first + 2 * number + 1} 0 R {resources} >>".encode()
        )
        content = "\n".join(page.content).encode("cp1252")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    objects += _outline(outline, outline_number, first)
    return _file(objects, facts_number)


def _outline(entries: Sequence[tuple[str, int]], number: int, first: int) -> list[bytes]:
    if not entries:
        return []
    last = number + len(entries)
    found = [f"<< /Type /Outlines /First {number + 1} 0 R /Last {last} 0 R /Count {len(entries)} >>"]
    for index, (title, page) in enumerate(entries, number + 1):
        following = f"/Next {index + 1} 0 R" if index < last else ""
        before = f"/Prev {index - 1} 0 R" if index > number + 1 else ""
        target = f"/Dest [{first + 2 * page} 0 R /Fit]"
        found.append(f"<< /Title ({title}) /Parent {number} 0 R {following} {before} {target} >>")
    return [entry.encode("cp1252") for entry in found]


def _file(objects: Sequence[bytes], facts: int) -> bytes:
    data = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + table
        + trailer % (len(objects) + 1, facts, len(data))
    )
