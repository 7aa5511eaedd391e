"""Guard: whether an action may be irreversible, by what the page says of the element, in several languages.

It goes by kind, form and words, and rather asks once too often. A page can disguise what a button does: the guard, and
not this, keeps a visit where it may be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from readagent.webnav.action import Action

_BUYING = """
    buy purchase pay payment checkout check-out order book reserve subscribe donate bid rent upgrade
    kaufen kaufe bestellen bezahlen zahlen zahlungspflichtig buchen reservieren abonnieren spenden mieten
    acheter achat commander payer paiement réserver s'abonner donner louer
    comprar compra pagar pago pedir encargar reservar suscribirse donar alquilar
    acquista acquistare compra ordina ordinare paga pagare prenota prenotare abbonati dona
    encomendar assinar doar alugar kopen koop bestel betalen betaal boeken boek reserveren doneren
    kup kupuję zamów zamawiam zapłać płacę rezerwuj köp betala beställ boka kjøp betal bestill køb
    купить оплатить заказать забронировать купити оплатити замовити öde rezervasyon
    购买 購買 支付 付款 下单 下單 结账 結帳 订购 預訂 预订 購入 注文 支払 予約 구매 결제 주문 예약
"""
_DELETING = """
    delete remove erase discard trash archive cancel deactivate terminate unsubscribe unfollow block wipe reset
    löschen entfernen verwerfen kündigen stornieren abmelden zurücksetzen
    supprimer effacer retirer résilier annuler désactiver
    eliminar borrar quitar cancelar anular desactivar elimina cancella rimuovi annulla disattiva
    excluir apagar remover verwijderen verwijder wissen opzeggen annuleren usuń skasuj anuluj
    radera ta-bort slett slet удалить отменить видалити скасувати sil iptal
    删除 刪除 移除 取消 削除 解約 退会 삭제 취소 탈퇴
"""
_SENDING = """
    send submit post publish share reply forward tweet transfer confirm sign apply register vote accept agree sign-up
    senden absenden abschicken veröffentlichen teilen antworten weiterleiten überweisen bestätigen unterschreiben
    bewerben registrieren zustimmen envoyer soumettre publier partager répondre transférer confirmer signer postuler
    s'inscrire accepter enviar publicar compartir responder reenviar transferir confirmar firmar aceptar registrarse
    invia pubblica condividi rispondi inoltra trasferisci conferma firma accetta iscriviti
    submeter partilhar compartilhar aceitar assine verzenden versturen verstuur plaatsen delen bevestigen bevestig
    ondertekenen wyślij opublikuj udostępnij potwierdź podpisz skicka publicera dela bekräfta
    отправить опубликовать поделиться подтвердить подписать надіслати gönder paylaş onayla
    发送 發送 提交 发布 發布 分享 确认 確認 送信 投稿 公開 送る 보내기 제출 게시 공유 확인
"""
_HARMLESS = re.compile(
    r"\border(?:ed)? by\b|\bcheck-?out (?:the|our|these|more)\b|\bbook(?:s| shop| store| list)\b", re.I
)
_KINDS = frozenset("checkbox radio switch tab option textbox searchbox combobox text search email tel url number date "
                   "time month week datetime-local color range password file slider spinbutton textarea "
                   "select-one select-multiple menuitemcheckbox menuitemradio".split())  # fmt: skip
_SIGNS = "\u2e80"  # from here on, scripts that put no spaces between words
_LINK_WORDS = 4  # a link with more is a headline, not a command
_REASONS = {"it may buy or pay something": _BUYING, "it may delete or end something": _DELETING,
            "it may send or confirm something": _SENDING}  # fmt: skip


def _pattern(words: str) -> re.Pattern[str]:
    latin = [
        re.escape(word).replace(r"\-", r"[\s-]?") for word in words.split() if word.isascii() or word[0] < "\u2e80"
    ]
    signs = [re.escape(word) for word in words.split() if word[0] >= "\u2e80"]
    return re.compile(rf"\b(?:{'|'.join(latin)})\b|{'|'.join(signs)}", re.IGNORECASE)


_RISKS = {reason: _pattern(words) for reason, words in _REASONS.items()}


@dataclass(frozen=True, slots=True)
class ElementFacts:
    """What an element is: its tag and kind (role or type), what it is called, and the form or link it belongs to.

    ``submits`` is whether it sends its form; ``search`` whether that form only asks for something, as searches do.
    """

    tag: str
    kind: str = ""
    name: str = ""
    words: str = ""
    link: str = ""
    secret: bool = False
    submits: bool = False
    in_form: bool = False
    method: str = ""
    search: bool = False


def risk(facts: ElementFacts, action: Action) -> str:
    """Why a person should be asked first; empty if there is no need."""
    if action.operation == "type":
        enters = action.value.endswith("\n") and facts.tag == "input" and facts.in_form
        return "Enter sends the form" if enters and not facts.search else ""
    if action.operation == "select" or facts.kind in _KINDS:
        return ""
    words = _HARMLESS.sub("", facts.words)
    if not facts.link or len(words.split()) <= _LINK_WORDS:
        for reason, pattern in _RISKS.items():
            if pattern.search(words):
                return reason
    return "it sends a form" if facts.submits and not facts.search else ""
