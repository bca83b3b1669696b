"""Text out of files, whatever they claim to be and however they are made."""

from __future__ import annotations

import asyncio
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from gateway.attachments.extraction import AT_A_TIME, Extractor, Unreadable, decoded, kind_of
from gateway.attachments.paper import html
from gateway.attachments.pictures import shape_of
from gateway.clock import SystemClock
from tests.fakes.clock import FakeClock
from tests.fakes.files import docx, gif, jpeg, pdf, png, webp

RUSSIAN = "Привет, это обычное письмо на русском языке, без затей. " * 4
JAPANESE = "これは日本語で書かれた普通の文章です。今日はとても良い天気ですね。" * 4
GERMAN = "Größere Füße passen nicht in übliche Schuhe, sagt der Wärter am schönen Fluß. " * 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marked_and_plain_encodings(encoding: str) -> None:
    assert decoded(JAPANESE.encode(encoding)) == JAPANESE


@pytest.mark.parametrize(
    ("text", "encoding"), [(RUSSIAN, "koi8-r"), (RUSSIAN, "cp1251"), (JAPANESE, "shift_jis"), (GERMAN, "latin-1")]
)
def test_older_encodings_are_guessed(text: str, encoding: str) -> None:
    assert decoded(text.encode(encoding)) == text


def test_a_character_cut_at_the_end_spoils_nothing() -> None:
    assert decoded("grün".encode()[:-1] + "ü".encode()[:1]) == "grü"


@pytest.mark.parametrize("data", [bytes(range(256)) * 4, b"\x7fELF" + bytes(60), b"text\0text" * 20])
def test_what_is_no_text(data: bytes) -> None:
    assert decoded(data) is None


def test_kinds_go_by_the_bytes() -> None:
    other = BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    assert kind_of(pdf("x")) == "pdf"
    assert kind_of(docx("x")) == "docx"
    assert kind_of(other.getvalue()) is None
    assert kind_of(b"PK\x03\x04 torn") is None
    assert kind_of(b"<!-- hi --><!DOCTYPE html><p>x") == "html"
    assert kind_of(b"{}") == "text"


def test_pages_become_lines() -> None:
    page = (
        "<html><head><title>The inn</title><style>p {}</style></head><body><script>steal()</script>"
        "<p>First&nbsp;line<br>second &lt;line&gt;</p><table><tr><td>a<td>b</tr></table></body></html>"
    )
    assert html(page, 1000) == ("The inn\nFirst line\nsecond <line>\na b", 0, "")


@pytest.mark.parametrize(
    ("data", "kind", "size"),
    [
        (png(30, 20), "image/png", (30, 20)),
        (jpeg(640, 480), "image/jpeg", (640, 480)),
        (gif(9, 8), "image/gif", (9, 8)),
        (webp(70, 60), "image/webp", (70, 60)),
    ],
)
def test_pictures_are_known_by_their_first_bytes(data: bytes, kind: str, size: tuple[int, int]) -> None:
    shape = shape_of(data)
    assert shape is not None
    assert (shape.media_type, (shape.width, shape.height)) == (kind, size)
    assert all(shape_of(data[:cut]) is not None for cut in range(16, len(data)))


def test_other_files_are_no_pictures() -> None:
    assert shape_of(b"<svg/>") is None
    assert shape_of(b"BM" + bytes(60)) is None
    assert shape_of(b"") is None


async def test_a_page_in_an_old_encoding(tmp_path: Path) -> None:
    page = f"<!doctype html><p>{GERMAN}</p>".encode("latin-1")
    found = await Extractor(SystemClock()).text(page, str(tmp_path / "none"), 1000)
    assert found.shown == GERMAN.strip()


async def test_a_long_pdf_is_read_as_far_as_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf(*(f"Page number {number}" for number in range(1, 41))))
    found = await Extractor(SystemClock()).text(path.read_bytes(), str(path), 100)
    assert len(found.shown) == 100
    assert found.more == "from page 7 of 40 on"


@pytest.mark.parametrize("program", ["import time; time.sleep(60)", "pass", "print('no JSON')"])
async def test_a_reader_that_hangs_or_dies_is_no_answer(tmp_path: Path, program: str) -> None:
    clock = FakeClock()
    extractor = Extractor(clock, (sys.executable, "-c", program))
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("x"))
    reading = asyncio.ensure_future(extractor.text(path.read_bytes(), str(path), 100))
    while clock.sleepers == 0 and not reading.done():
        await asyncio.sleep(0.005)
    if "sleep" in program:
        await clock.advance(100)
    with pytest.raises(Unreadable, match="too long"):
        await reading


async def test_many_documents_are_not_looked_into_all_at_once(tmp_path: Path) -> None:
    """Each process notes that it runs, and how many others do."""
    program = (
        "import os, sys, time, pathlib; room = pathlib.Path(sys.argv[3]).parent; mine = room / f'run-{os.getpid()}';"
        " mine.touch(); time.sleep(0.05); count = len(list(room.glob('run-*'))); mine.unlink();"
        ' print(\'{"text": "%d", "left": 0, "more": ""}\' % count)'
    )
    extractor = Extractor(SystemClock(), (sys.executable, "-S", "-c", program))
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("x"))
    found = await asyncio.gather(*(extractor.text(path.read_bytes(), str(path), 100) for _ in range(8)))
    assert max(int(each.shown) for each in found) <= AT_A_TIME
