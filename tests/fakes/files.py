"""Small files as people send them, made from nothing."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from platforms.in_process import InProcess
from platforms.messages import Attachment


def png(width: int = 4, height: int = 3, colour: bytes = b"\x10\x80\xf0") -> bytes:
    """A real PNG of one colour."""
    rows = b"".join(b"\0" + colour * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def jpeg(width: int = 1280, height: int = 720) -> bytes:
    """The head of a JPEG, as far as anybody here looks."""
    frame = struct.pack(">BHHB", 8, height, width, 3) + bytes(9)
    return b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(10) + b"\xff\xc0" + struct.pack(">H", len(frame) + 2) + frame


def gif(width: int = 5, height: int = 6) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(3)


def webp(width: int = 7, height: int = 8) -> bytes:
    body = b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + (width - 1).to_bytes(3, "little")
    body += (height - 1).to_bytes(3, "little")
    return b"RIFF" + struct.pack("<I", len(body)) + body


def docx(*paragraphs: str, padding: int = 0) -> bytes:
    """A Word document. `padding` is how many bytes of nothing one of its parts holds, unpacked."""
    space = "http://schemas.openxmlformats.org"
    body = "".join(f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in paragraphs)
    main = f'<w:document xmlns:w="{space}/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{space}/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": main,
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        if padding:
            archive.writestr("word/media/nothing.bin", bytes(padding))
    return made.getvalue()


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for text in pages:
        drawn = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode("latin-1")
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn))
        about = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
        objects.append((about % len(objects)).encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + tail


def given(adapter: InProcess, name: str, data: bytes, kind: str = "document", size: int | None = None) -> Attachment:
    """A file that somebody can send through the in-process platform. `size` is what the platform says of it."""
    locator = f"file-{len(adapter.files)}"
    adapter.files[locator] = data
    media_type = "image/png" if kind == "picture" else "audio/ogg" if kind == "voice" else "application/octet-stream"
    return Attachment(kind, name, media_type, len(data) if size is None else size, locator)  # type: ignore[arg-type]
