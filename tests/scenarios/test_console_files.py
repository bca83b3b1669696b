"""Files from the shell to the model, through a process of its own."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.files import png
from tests.fakes.openai_server import OpenAIServer
from tests.scenarios.shell import Home


async def test_files_are_given_with_a_question(tmp_path: Path) -> None:
    picture, notes = tmp_path / "a b.png", tmp_path / "notes.txt"
    picture.write_bytes(png())
    notes.write_text("The password is swordfish.")
    async with OpenAIServer(sees=True) as host:
        home = Home(tmp_path / "home", f"model: {{base_url: {host.base_url}, model: fake}}\n")
        said = await home.innkeeper("ask", "--file", str(picture), "--file", str(notes), "What is this?")
        assert said.code == 0, said.err
        words, image = host.chats[0].json()["messages"][-1]["content"]
    assert (
        f"What is this?\n[picture: a b.png, 4x3, {len(png())} bytes]\n[document: notes.txt, 26 bytes]"
        in words["text"]
    )
    assert "The password is swordfish." in words["text"]
    assert image["type"] == "image_url"
