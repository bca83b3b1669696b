"""Text made ready: folded to one form without changing its length, parts that are no speech blanked, cut into
sentences. Pure.

Whatever the length of a message, only its first and last parts are looked at.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

_HEAD, _TAIL = 2000, 1500
_SENTENCE = 400
_SENTENCES = 16

_SIMPLE = (
    "記记憶忆錄录録录儲储資资請请幫帮別别刪删關关這这個个筆笔備备註注變变変变換换應应該该說说們们會会還还嗎吗麼么為为條条內内對对訂订檔档時时"
    "後后從从來来將将寫写進进裡里裏里點点給给過过舊旧號号碼码電电話话樣样沒没無无讓让開开問问題题樂乐東东業业車车機机學学報报頭头腦脑讀读聽听"
    "買买錢钱網网線线緊紧級级買买親亲歲岁總总統统處处據据實实際际萬万與与專专區区師师帶带簡简單单訊讯儘尽優优傳传結结婚婚數数"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of the message: `text` as written, `folded` for matching, of the same length."""

    text: str
    folded: str

    @property
    def asks(self) -> bool:
        return self.folded.rstrip(" \"')»”」…").endswith("?")


@cache
def _table() -> dict[int, str]:
    """Accents, wide forms and curly marks to their plain characters, one to one; traditional characters of the
    words that matter to simplified ones."""
    table = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00), *range(0xFF01, 0xFF5F)):
        plain = unicodedata.normalize("NFKD", chr(code))[0].lower()
        if plain != chr(code):
            table[code] = plain
    table |= {ord(_SIMPLE[at]): _SIMPLE[at + 1] for at in range(0, len(_SIMPLE), 2)}
    table |= {ord("ё"): "е", ord("Ё"): "е", ord("ı"): "i", ord("İ"): "i"}
    table |= dict.fromkeys(map(ord, "’‘ʼ`´"), "'")
    table |= dict.fromkeys(map(ord, "\u00a0\u202f\u3000\t"), " ")
    table |= dict.fromkeys(map(ord, "–—−"), "-")
    return table


def fold(text: str) -> str:
    """The same length as the text."""
    plain = text.translate(_table())
    lower = plain.lower()
    return lower if len(lower) == len(plain) else "".join(low if len(low := c.lower()) == 1 else c for c in plain)


def fold_pattern(pattern: str) -> str:
    """The same for a regular expression, whose escapes keep their case."""
    return pattern.translate(_table())


_QUOTED = re.compile(
    r"```.{0,4000}?(?:```|$)|`[^`\n]{1,400}`|\"[^\"\n]{2,400}\"|“[^”\n]{2,400}”|„[^“”\n]{2,400}[“”]|«[^»\n]{2,400}»|"
    r"「[^」\n]{2,400}」|『[^』\n]{2,400}』|(?<!\w)'[^'\n]{6,200}'(?!\w)|(?<!\w)‘[^’\n]{6,200}’(?!\w)",
    re.DOTALL,
)
_NO_SPEECH = re.compile(r"^[ \t]*(?:#|//|--|/\*|>|\$ |[—–] ?\w[^\n]*[—–]).*$", re.MULTILINE)
_TASK = re.compile(
    r"(?:translat|summar|proofread|rephras|paraphras|rewrite|correct the (?:text|grammar|spelling)|ubersetz|"
    r"fass\w* [^:\n]{0,30}zusammen|"
    r"zusammenfass|korrekturles|umformulier|traduis|tradui[rstz]|resume[rz]?\b|reformule|traduc|traduz|"
    r"resum[aei]\w*\b|parafrase|переведи|"
    r"перевод|перескажи|кратко|翻译|翻訳|訳して|总结|概括|要約|まとめて|润色|改写|添削)[^:.!?。\n]{0,60}:",
)
_END = re.compile(r"(?<=[!?。!?！？…])\s*(?=\S)|(?<=\.)\s+(?=\S)|\n+|(?=¿)")
_SHORT = re.compile(
    r"(?:\b(?:dr|dra|mr|mrs|ms|st|sr|sra|nr|no|prof|bzw|ca|ул|д|г|им|z\.b|e\.g|i\.e)\.|"
    r"\b\d{1,2}\.)\s*$"
)


def _blank(found: re.Match[str]) -> str:
    return " " * (found.end() - found.start())


def _speech(text: str) -> str:
    """The text with quotations, code, dialogue of stories and material of a task blanked."""
    text = _NO_SPEECH.sub(_blank, _QUOTED.sub(_blank, text))
    task = _TASK.search(fold(text))
    if task is None:
        return text
    upto = text.find("\n\n", task.end() + 2)
    upto = len(text) if upto < 0 else upto
    return text[: task.end()] + " " * (upto - task.end()) + text[upto:]


def sentences(text: str) -> list[Sentence]:
    """At most sixteen sentences from the beginning and the end of the message."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    folded = fold(_speech(text))
    found: list[Sentence] = []
    start = 0
    for end in (*(each.end() for each in _END.finditer(folded)), len(folded)):
        if end < len(folded) and _SHORT.search(folded, max(start, end - 8), end):
            continue
        for at in range(start, end, _SENTENCE):
            upto = min(at + _SENTENCE, end)
            if folded[at:upto].strip():
                found.append(Sentence(text[at:upto], folded[at:upto]))
        start = end
    half = _SENTENCES // 2
    return found if len(found) <= _SENTENCES else [*found[:half], *found[-half:]]
