"""Recognise texts of a page that report a failure, in twelve languages, and texts that end in mid-sentence."""

from __future__ import annotations

import re

#: What comes before the report of a failure: an apology, an exclamation, a sign.
_BEFORE = (
    r"\W*(?:(?:oops|sorry|we(?:'|’)re sorry|i(?:'|’)m sorry|i apologi[sz]e|apologies|ups|vaya|lo siento|lo sentimos|"
    r"disculp[ae](?:n|s)?|desculpe|d[ée]sol[ée]e?s?|pardon|entschuldigung|hoppla|es tut mir leid|ops|spiacenti|"
    r"mi dispiace|helaas|przepraszamy|извините|простите|к сожалению|عذر[اً]*|آسف|maaf|抱歉|对不起|"
    r"申し訳(?:ありません|ございません)(?:が)?|すみません)(?:[^\w]*\b(?:but|pero|mas|mais|aber|ma|maar|ale|но|tetapi)\b)?\W*)*"
)
_FAILURES = (
    # English
    r"(?:something|that) (?:has )?(?:went|gone) wrong|an? (?:\w+ ){0,2}error (?:has )?occurred|"
    r"there was an? (?:\w+ ){0,2}error|"
    r"internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|network error|"
    r"failed to (?:fetch|load|generate|get|send)|(?:the )?request failed|"
    r"(?:unable|failed) to (?:connect|reach|generate)|"
    r"too many (?:requests|messages)|rate limit|you(?:'ve| have)? (?:reached|exceeded) (?:your|the) (?:\w+ ){0,3}limit|"
    r"(?:your |the )?session (?:has )?(?:expired|timed out|ended)|error(?: code)?:? ?[45]\d\d\b|error:|"
    # Spanish, Portuguese
    r"(?:algo|se) (?:ha )?(?:salido|salió|ido|fue) mal|"
    r"(?:ha ocurrido|ocurrió|se (?:ha )?produ(?:jo|cido)|hubo) un error|"
    r"(?:has|ha|hemos) (?:alcanzado|superado|excedido|enviado) (?:el límite de (?:mensajes|preguntas|consultas|uso|"
    r"solicitudes)|demasiad[oa]s (?:mensajes|solicitudes|preguntas))|(?:el|este|nuestro) (?:servicio|asistente|sistema|"
    r"servidor|chat) (?:está (?:saturado|caído|ocupado)|no está disponible (?:en este momento|temporalmente|ahora))|"
    r"error (?:interno )?del servidor|demasiad[oa]s (?:solicitudes|peticiones|mensajes)|(?:la |su |tu )?sesión (?:ha )?"
    r"(?:caducad|expir)\w+|servicio no disponible|(?:algo|alguma coisa) (?:deu|correu) (?:de )?errado|ocorreu um erro|"
    r"houve um erro|erro (?:interno )?d[oe] servidor|muitas (?:solicitações|mensagens)|(?:a |sua )?sessão expirou|"
    # French, Italian
    r"une erreur (?:\w+ ){0,2}(?:est survenue|s(?:'|’)est produite)|quelque chose s(?:'|’)est mal passé|"
    r"erreur (?:interne )?"
    r"du serveur|trop de (?:requêtes|messages)|(?:la |votre )?session a expiré|service indisponible|"
    r"vous avez (?:atteint|dépassé) (?:la|votre) limite (?:de messages|de questions|d(?:'|’)utilisation)|"
    r"(?:le|notre) (?:service|serveur|système) est (?:saturé|surchargé|temporairement indisponible)|"
    r"(?:si è verificato|c(?:'|’)è stato) un errore|qualcosa è andato storto|errore (?:interno )?del server|"
    r"troppe richieste|(?:la )?sessione (?:è )?scaduta|"
    # German, Dutch, Polish
    r"(?:es )?ist ein (?:\w+ )?fehler aufgetreten|ein (?:\w+ )?fehler ist aufgetreten|"
    r"(?:da |etwas |hier )?ist etwas schief\w*|"
    r"etwas ist schief\w*|interner serverfehler|zu viele anfragen|(?:ihre |deine |die )?sitzung ist abgelaufen|"
    r"er (?:is (?:een (?:\w+ )?fout|iets misgegaan)|ging iets mis)\w*|er is iets fout gegaan|"
    r"te veel (?:verzoeken|berichten)|"
    r"(?:uw |je |de )?sessie is verlopen|wystąpił (?:\w+ )?błąd|coś poszło nie tak|"
    r"(?:sie haben|du hast) (?:das|ihr|dein) (?:\w+)?limit (?:erreicht|überschritten)|"
    r"(?:der|unser) (?:dienst|server) ist (?:derzeit|momentan) (?:überlastet|nicht (?:verfügbar|erreichbar))|"
    r"zbyt wiele (?:żądań|zapytań)|sesja wygasła|"
    # Russian, Arabic, Indonesian
    r"произошла (?:\w+ )?ошибка|что-то пошло не так|ошибка сервера|слишком много (?:запросов|сообщений)|сессия истекла|"
    r"حدث خطأ|خطأ في الخادم|طلبات كثيرة|انتهت (?:صلاحية )?الجلسة|"
    r"(?:telah )?terjadi (?:kesalahan|galat|error)|ada yang salah|kesalahan (?:pada )?server|"
    r"terlalu banyak (?:permintaan|pesan)|"
    r"sesi (?:anda )?(?:telah )?(?:berakhir|kedaluwarsa)|"
    r"anda (?:telah |sudah )?(?:mencapai|melebihi) batas (?:pesan|pertanyaan|penggunaan|permintaan)|"
    r"(?:layanan|sistem|server|asisten) (?:sedang )?(?:sibuk|penuh|tidak tersedia saat ini)|"
    # Chinese, Japanese
    r"(?:发生|出现)(?:了)?(?:一个)?(?:错误|异常)|出错了|服务器(?:内部)?错误|请求过(?:多|于频繁)|会话已过期|"
    r"エラーが(?:発生|起き)|問題が発生|サーバーエラー|リクエストが多すぎ|セッションの(?:有効)?期限が切れ"
)
_REPORT = re.compile(rf"{_BEFORE}(?:{_FAILURES})", re.IGNORECASE)
#: Longest report of a failure, in characters.
_MAX_REPORT = 240
_SENTENCE_END = re.compile(r"[.!?。！？؟۔।…:;)\]}\"'”’»*_|`>]\s*$")


def reports_failure(text: str) -> bool:
    """Return whether a text begins with the report of a failure and is no longer than such reports are.

    >>> [reports_failure(text) for text in ("Oops! Something went wrong.", "Lo siento, ha ocurrido un error.")]
    [True, True]
    >>> reports_failure("If an error occurred while you paid, call us.")
    False
    """
    return len(text) <= _MAX_REPORT and bool(_REPORT.match(text.strip()))


def ends_sentence(text: str) -> bool:
    """Return whether a text ends as sentences do, or with other punctuation that closes.

    >>> ends_sentence("It costs 40 euros."), ends_sentence("It costs 40 eu")
    (True, False)
    """
    return bool(_SENTENCE_END.search(text))
