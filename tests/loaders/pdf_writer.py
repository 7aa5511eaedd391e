"""Write small PDFs for tests, with every word at a given position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 400, 600
_FONTS = {"roman": "Times-Roman", "bold": "Times-Bold", "mono": "Courier"}
_IMAGE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
)


@dataclass(slots=True)
class Page:
    """A page and its content. Positions are points from the top left."""

    content: list[str] = field(default_factory=list)
    rotate: int = 0
    fields: list[str] = field(default_factory=list)

    def put(self, left: float, base: float, text: str, size: float = 10, font: str = "roman", mode: int = 0) -> Page:
        """Draw text on a baseline; ``mode`` 3 is invisible."""
        return self.rotated((1, 0), left, base, text, size, font, mode)

    def rotated(
        self,
        direction: tuple[float, float],
        left: float,
        base: float,
        text: str,
        size: float,
        font: str = "roman",
        mode: int = 0,
    ) -> Page:
        """Draw text in a direction, given as (right, up)."""
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        x, y = direction
        self.content.append(
            f"BT /{font} {size} Tf {mode} Tr {x} {y} {-y} {x} {left} {HEIGHT - base} Tm ({escaped}) Tj ET"
        )
        return self

    def lines(self, left: float, base: float, lines: Sequence[str], size: float = 10, leading: float = 12) -> Page:
        """Draw lines one below the other."""
        for number, line in enumerate(lines):
            self.put(left, base + leading * number, line, size)
        return self

    def field(self, left: float, base: float, entries: str, width: float = 150, height: float = 14) -> Page:
        """Add a field of a form, with its lower edge a little below a baseline."""
        bottom = HEIGHT - base - 3
        box = f"/Rect [{left} {bottom} {left + width} {bottom + height}]"
        self.fields.append(f"<< /Type /Annot /Subtype /Widget {box} {entries} >>")
        return self

    def image(self) -> Page:
        """Cover the page with an image."""
        self.content.append(f"q {WIDTH} 0 0 {HEIGHT} 0 0 cm /Image1 Do Q")
        return self


def pdf_bytes(
    pages: Sequence[Page],
    info: dict[str, str] | None = None,
    *,
    outline: Sequence[tuple[str, int]] = (),
    catalog: str = "",
) -> bytes:
    """Return a PDF of these pages. ``outline`` is a list of titles and their pages from 0."""
    fonts = " ".join(
        f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>"
        for name, font in _FONTS.items()
    )
    resources = f"/Resources << /Font << {fonts} >> /XObject << /Image1 3 0 R >> >>"
    first = 5  # the first page; its content follows it
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    info_number, outline_number = 4, first + 2 * len(pages)
    extra = f"/Outlines {outline_number} 0 R {catalog}" if outline else catalog
    widget = outline_number + (1 + len(outline) if outline else 0)  # the first field; they come last
    widgets = [f"{widget + number} 0 R" for number in range(sum(len(page.fields) for page in pages))]
    extra += f" /AcroForm << /Fields [{' '.join(widgets)}] >>" if widgets else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {extra} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _IMAGE + b"\nstream\n\x80\nendstream",
        ("<< " + " ".join(f"/{name} ({value})" for name, value in (info or {}).items()) + " >>").encode("cp1252"),
    ]
    for number, page in enumerate(pages):
        own, widgets = widgets[: len(page.fields)], widgets[len(page.fields) :]
        box = f"/MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {page.rotate} /Annots [{' '.join(own)}]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {box} /Contents {first + 2 * number + 1} 0 R {resources} >>".encode()
        )
        content = "\n".join(page.content).encode("cp1252")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    objects += _outline(outline, outline_number, first)
    objects += [entries.encode("cp1252") for page in pages for entries in page.fields]
    return _file(objects, info_number)


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


def _file(objects: Sequence[bytes], info: int) -> bytes:
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
        + trailer % (len(objects) + 1, info, len(data))
    )
