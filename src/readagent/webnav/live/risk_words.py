"""Words on buttons and links that stand for irreversible actions, in the languages of many web sites."""

from __future__ import annotations

BUYING = """
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
DELETING = """
    delete remove erase discard trash archive cancel deactivate terminate unsubscribe unfollow block wipe reset
    löschen entfernen verwerfen kündigen stornieren abmelden zurücksetzen
    supprimer effacer retirer résilier annuler désactiver
    eliminar borrar quitar cancelar anular desactivar elimina cancella rimuovi annulla disattiva
    excluir apagar remover verwijderen verwijder wissen opzeggen annuleren usuń skasuj anuluj
    radera ta-bort slett slet удалить отменить видалити скасувати sil iptal
    删除 刪除 移除 取消 削除 解約 退会 삭제 취소 탈퇴
"""
SENDING = """
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
