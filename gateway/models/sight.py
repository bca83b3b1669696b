"""Which models take pictures, where their host does not say: by what they are called. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SEEING = re.compile(
    r"gpt-(?:4o|4\.1|4\.5|4-turbo|4-vision|[5-9])|chatgpt-4o|(?:^|/)o[134](?:-|$)|claude|gemini|gemma-?[34]|pixtral"
    r"|mistral-(?:small-3\.[1-9]|medium-3)|llama-?(?:3\.2-(?:11|90)b|4)|llava|bakllava|moondream|minicpm-?v|internvl"
    r"|idefics|molmo|phi-?(?:3(?:\.5)?|4)-(?:vision|multimodal)|grok-(?:[4-9]|2-vision)|kimi-vl|nova-(?:lite|pro)"
    r"|smolvlm|glm-4(?:\.\d)?v|(?:^|[^a-z])(?:vl|vlm|vision)(?:[^a-z]|$)|qwen[\d.]*-?vl"
)
_BLIND = re.compile(
    r"claude-(?:1|2|instant)|o1-mini|o1-preview|o3-mini|gpt-4o-(?:audio|transcribe|mini-(?:audio|transcribe|tts))"
    r"|gemma-?3[-:](?:1b|270m)|gpt-oss|embed|whisper|tts"
)


def sees_by_name(model: str, usual: bool = False) -> bool:
    """Whether a model that is called so takes pictures, as far as makers and names tell; `usual` for other names."""
    name = model.lower()
    return (usual or _SEEING.search(name) is not None) and _BLIND.search(name) is None


def sees_by_entry(entry: Mapping[str, Any]) -> bool | None:
    """What an entry of `/models` says of it, as OpenRouter, LM Studio and vLLM's kin write it; None when it does
    not."""
    shape = entry.get("architecture")
    modes = shape.get("input_modalities") if isinstance(shape, Mapping) else entry.get("input_modalities")
    if isinstance(modes, list):
        return "image" in modes
    if entry.get("type") in ("vlm", "llm"):
        return bool(entry["type"] == "vlm")
    capabilities = entry.get("capabilities")
    return "vision" in capabilities or None if isinstance(capabilities, list) else None
