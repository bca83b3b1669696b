"""What servers' answers say about their work: llama.cpp's slots, metrics of several servers, Ollama's list of models.

Pure; asking is probing.py's. Whatever does not have the shape that a server is known for says nothing: it is unknown,
never idle.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from gateway.models.idleness import Sight, busy, idle, sleeping, unknown


@dataclass(frozen=True, slots=True)
class Heard:
    """An HTTP answer. `body` is its JSON, None when it is none; `at` the server's own time in seconds since the
    epoch, None when it did not say."""

    status: int
    text: str = ""
    body: object = None
    at: float | None = None

    @property
    def fine(self) -> bool:
        return 200 <= self.status < 300

    @property
    def page(self) -> bool:
        """A web page where data was asked for: of a proxy, or of whatever else listens there."""
        return self.fine and self.text.lstrip()[:1] == "<"


def no_answer_yet(heard: Heard) -> Sight | None:
    """What an answer says that is none to the question: loading, not allowed, out of order; None for any other."""
    if heard.status == 503 and "loading model" in heard.text.lower():
        return busy("it is loading its model")  # {"error": {"message": ...}} and {"status": ...}, by version
    if heard.status in (401, 403):
        return unknown(f"it does not let us look (status {heard.status})")
    if heard.status in (408, 425, 429) or 300 <= heard.status < 400 or (heard.status >= 500 and heard.status != 501):
        return unknown(f"it answered with status {heard.status}")
    return None


def is_llama_cpp(props: Heard) -> bool:
    return props.fine and isinstance(props.body, Mapping) and "default_generation_settings" in props.body


def is_router(props: Heard) -> bool:
    return props.fine and isinstance(props.body, Mapping) and props.body.get("role") == "router"


def asleep(heard: Heard) -> bool:
    """Whether llama.cpp's `/props` (`is_sleeping`), or the `/health` of a relative (`sleeping`), says so."""
    said = heard.body if isinstance(heard.body, Mapping) else {}
    return said.get("is_sleeping") is True or said.get("sleeping") is True


def from_slots(body: object) -> Sight:
    """llama.cpp's `/slots`: `is_processing` in each, or `state` (0 is idle) before November 2024."""
    if not isinstance(body, list):
        return unknown("its answer about its slots makes no sense")
    at_work = [_at_work(slot) for slot in body]
    if True in at_work:
        return busy(f"{at_work.count(True)} of {len(at_work)} slots at work")
    if not at_work or None in at_work:
        return unknown("it does not say what its slots do")
    return idle("its slots are idle")


def _at_work(slot: object) -> bool | None:
    if not isinstance(slot, Mapping):
        return None
    said, state = slot.get("is_processing"), slot.get("state")
    if isinstance(said, bool):
        return said
    return state != 0 if isinstance(state, int) and not isinstance(state, bool) else None


_RUNNING = r"vllm:num_requests_running|llamacpp:requests_processing|sglang:num_running_reqs|tgi_batch_current_size"
_WAITING = r"vllm:num_requests_waiting|llamacpp:requests_deferred|sglang:num_queue_reqs|tgi_queue_size"
_GAUGE = re.compile(rf"^(?:({_RUNNING})|(?:{_WAITING}))(?:\{{.*\}})?[ \t]+(\S+)", re.MULTILINE)


def from_metrics(text: str) -> Sight | None:
    """Prometheus metrics of vLLM, llama.cpp, SGLang or TGI, engines and models together; None for any others."""
    found = _GAUGE.findall(text)
    if not any(running for running, _ in found):
        return None
    try:
        work = math.fsum(float(value) for _, value in found)
    except (ValueError, OverflowError):
        work = math.nan
    if not math.isfinite(work):
        return unknown("its metrics make no sense")
    return busy(f"{work:g} requests at work or waiting") if work > 0 else idle("no request at work or waiting")


def is_ollama(heard: Heard) -> bool:
    return heard.fine and isinstance(heard.body, Mapping) and isinstance(heard.body.get("models"), list)


def loaded_until(heard: Heard) -> dict[str, str]:
    """Ollama's `/api/ps`: when each loaded model will be let go, by its name."""
    models = heard.body.get("models") if isinstance(heard.body, Mapping) else None
    entries = [each for each in models or () if isinstance(each, Mapping)]
    return {str(each.get("name")): str(each.get("expires_at")) for each in entries}


def from_loaded(now: Mapping[str, str], before: Mapping[str, str] | None, at: float | None) -> Sight:
    """Ollama does not say what it works on. But a use moves the moment at which a model is let go, and while a model
    works that moment may pass; so uses between two looks, and very long ones, are seen. `at` is the server's time."""
    if before is not None and any(before.get(name) != until for name, until in now.items()):
        return busy("a model there was used a moment ago")
    if at is not None and any((end := _moment(until)) is not None and end < at - 5 for until in now.values()):
        return busy("a model there is kept beyond its time")
    return idle("no use of it was seen" if now else "no model is loaded")


def _moment(text: str) -> float | None:
    try:
        return datetime.fromisoformat(re.sub(r"\.\d+", "", text)).timestamp()
    except (ValueError, OverflowError):
        return None


def routed(models: Heard) -> tuple[list[str], Sight] | None:
    """A router's models: the names of the loaded ones, and what is to be said when there are none to ask. None when
    the answer has not the shape of a router's."""
    entries = models.body.get("data") if models.fine and isinstance(models.body, Mapping) else None
    if not isinstance(entries, list):
        return None
    states: dict[str, object] = {}
    for entry in entries:
        status = entry.get("status") if isinstance(entry, Mapping) else None
        if not isinstance(status, Mapping):
            return None
        states[str(entry.get("id"))] = status.get("value")
    if "loading" in states.values():
        return [], busy("it is loading a model")
    loaded = [name for name, state in states.items() if state == "loaded"]
    known = all(state in ("loaded", "unloaded", "sleeping") for state in states.values())
    return loaded, sleeping("its models sleep") if known else unknown("it does not say what its models do")
