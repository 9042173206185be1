"""Texts that report a failure, in twelve languages, and answers that only speak of failures."""

from __future__ import annotations

import pytest

from neraca.targets.browser.notices import ends_sentence, reports_failure


@pytest.mark.parametrize(
    "text",
    [
        *("Oops! Something went wrong.", "Sorry, something went wrong. Please try again later.", "Error: 500"),
        *("Error 503 Service Unavailable", "⚠️ An unexpected error occurred", "Internal Server Error"),
        *("Your session has expired. Please log in.", "You have reached your daily message limit."),
        *("Lo siento, ha ocurrido un error.", "Se produjo un error al procesar", "Tu sesión ha caducado"),
        *("Ocorreu um erro", "Desculpe, algo deu errado", "Désolé, une erreur est survenue."),
        *("Une erreur inattendue s'est produite", "Si è verificato un errore", "Es ist ein Fehler aufgetreten."),
        *("Entschuldigung, etwas ist schiefgelaufen", "Er is iets misgegaan", "Wystąpił błąd", "Произошла ошибка"),
        *("حدث خطأ غير متوقع", "عذراً، حدث خطأ", "Maaf, terjadi kesalahan", "Sesi Anda telah berakhir"),
        *("Has alcanzado el límite de mensajes. Inténtalo de nuevo en 2 minutos.", "El asistente está saturado."),
        *("Has enviado demasiados mensajes.", "Lo sentimos, el servicio no está disponible en este momento."),
        *("Anda telah mencapai batas pesan.", "Maaf, layanan sedang sibuk.", "Vous avez atteint la limite de messages"),
        *("抱歉，发生错误", "エラーが発生しました", "申し訳ありませんが、エラーが発生しました"),
    ],
)
def test_the_report_of_a_failure_is_recognised(text: str) -> None:
    assert reports_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        *("If an error occurred while you paid, call us.", "The error rate is low.", "Sorry, we do not admit dogs."),
        *("El servicio no está disponible los lunes.", "Has superado el límite de tu tarjeta si no puedes pagar."),
        *("Sesión de spa: 40 euros.", "La sesión de yoga es a las 9.", "Error codes are listed in the manual."),
        "Something went wrong? " + "Then turn the lamp off, wait for a minute, and turn it on again. " * 4,
    ],
)
def test_an_answer_that_speaks_of_failures_is_none(text: str) -> None:
    assert not reports_failure(text)


def test_the_end_of_a_sentence_is_told_from_a_cut() -> None:
    assert all(
        map(ends_sentence, ("Yes.", "Really?", "نعم، يوجد موقف؟", "是的。", "(at noon)", "See **here**", "“No.”"))
    )
    assert not any(map(ends_sentence, ("The lamp costs 4", "The lamp,", "Yes, the la", "")))
