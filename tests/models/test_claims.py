"""What in a model's reply counts as a claim to have saved something."""

from __future__ import annotations

import pytest

from gateway.models.claims import claims_saving


@pytest.mark.parametrize(
    "text",
    [
        "Saved!",
        "I've saved that for you.",
        "I’ll remember that your favourite colour is green.",
        "Noted! I have noted it down.",
        "I made a note of it.",
        "Got it, I'll keep that in mind.",
        "Done. I've updated your address.",
        "Okay, I have forgotten your birthday.",
        "Your preference has been saved.",
        "I've removed it from my memory.",
        "Memory updated.",
        "Noted.",
        "Sure! I'll make sure to remember you're vegetarian.",
        "I will not forget that.",
        "覚えました。",
        "承知しました。覚えておきますね!",
        "かしこまりました。メモしました。",
        "削除しました。",
        "絶対に忘れません。",
        "已记住。",
        "好的,我记住了。",
        "我会记住你对花生过敏。",
        "已为您更新地址。",
        "我已经把这条删除了。",
        "Ich habe mir das gemerkt.",
        "Gespeichert!",
        "Alles klar, ich merke mir, dass du vegan bist.",
        "Das ist notiert.",
        "Ich habe deine Adresse gelöscht.",
        "C'est noté !",
        "J'ai bien enregistré votre adresse.",
        "Je m'en souviendrai.",
        "Je retiens que tu es végétarien.",
        "¡Anotado!",
        "Lo he guardado.",
        "Lo recordaré.",
        "He actualizado tu dirección.",
        "Anotado!",
        "Já guardei isso.",
        "Vou lembrar que você é vegetariano.",
        "Запомнил.",
        "Хорошо, я запомню это.",
        "Я сохранил ваш адрес.",
        "Готово, удалено.",
    ],
)
def test_a_claim(text: str) -> None:
    assert claims_saving(text)


@pytest.mark.parametrize(
    "text",
    [
        "Green is a lovely colour.",
        "I can't remember things between chats.",
        "I am not able to keep that. Nothing was saved.",
        "Shall I save it?",
        "Would you like me to remember that?",
        "I can save that if you like.",
        "Keep it short.",
        "I'll keep it short: the capital is Paris.",
        "The file was saved by the editor as notes.txt in 1999.",
        "You can save money by cooking.",
        "To save the file, press Ctrl+S.",
        "覚えておきましょうか?",
        "私は覚えることができません。",
        "パスワードを忘れた場合は再設定してください。",
        "要我记住吗?",
        "我无法保存信息。",
        "你可以保存文件。",
        "Soll ich mir das merken?",
        "Ich kann mir nichts merken.",
        "Die Datei wird automatisch gesichert.",
        "Veux-tu que je le note ?",
        "Je ne peux pas enregistrer cela.",
        "¿Quieres que lo guarde?",
        "No puedo guardar eso.",
        "Quer que eu anote?",
        "Não consigo guardar isso.",
        "Хотите, чтобы я запомнил это?",
        "Я не могу этого сохранить.",
        "Москва основана в 1147 году.",
        "Remember to drink water.",
        "I have been to Paris in many books.",
        "The law was changed in 1999.",
    ],
)
def test_offers_denials_questions_and_other_talk_are_none(text: str) -> None:
    assert not claims_saving(text)


def test_a_claim_after_other_sentences_is_found() -> None:
    assert claims_saving("Paris is the capital of France. By the way, I've saved your preference. Anything else?")


def test_a_denial_elsewhere_does_not_hide_a_claim() -> None:
    assert claims_saving("I can't book flights. Noted!")
