"""Messages that nothing needs to be recalled for: thanks, a nod, a smile. Pure."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40
"""Characters; a longer message says something."""

_WORDS = """
ok okay okey k kk yes yep yeah yup no nope nah sure fine good great nice cool perfect awesome super thanks thank you
thx ty tnx cheers hi hello hey yo bye goodbye ciao morning evening night lol haha hehe hm hmm ah oh wow right true
got it understood please alright so much very many
ja nein doch danke dankeschön bitte gut prima toll klar genau stimmt hallo moin tschüss servus vielen dank schön
oui non merci beaucoup bien parfait salut bonjour bonsoir d accord sí si gracias muchas vale bueno hola adiós claro
sim não obrigado obrigada grazie mille va bene dobrze tak nie dzięki cześć да нет спасибо хорошо ладно привет понял
понятно はい いいえ うん ありがとう ありがとうございます どうも 了解 了解です わかりました おはよう こんにちは
こんばんは 好 好的 是 不 不是 谢谢 謝謝 多谢 嗯 哦 你好 再见 收到 네 아니요 감사합니다 고마워 안녕 شكرا نعم لا
"""
_NODS = frozenset(re.findall(r"\S+", _WORDS))


def trivial(text: str) -> bool:
    """Whether a message is nothing but such words, signs and pictures; an empty one is as well, a question is not."""
    folded = unicodedata.normalize("NFKC", text).casefold().strip()
    words = re.findall(r"[^\W_]+", folded)
    if len(folded) > LONGEST or (words and "?" in folded):
        return False
    return all(word in _NODS for word in words)
