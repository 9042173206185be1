"""Which language texts are in: right where it is said, and silent where it could be two."""

import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.language_detection import Detected, detect, find_language, stop_words
from neraca.languages import languages
from neraca.metrics.text.tokenizer import Tokenizer

#: Written for this test, one text per language.
TEXTS = {
    "en": "The cat sat on the mat because it was tired. There are many people who have been here and they will not go.",
    "es": "El gato se sentó en la alfombra porque estaba cansado. Hay muchas personas que han "
    "estado aquí y no se van "
    "a ir, pero todo esto es muy difícil para nosotros, ya que uno no tiene donde vivir hasta el verano.",
    "pt": "O gato sentou-se no tapete porque estava cansado. Há muitas pessoas que estiveram aqui e não querem ir "
    "embora com os outros, mas já foi dito que isso também não é possível pela manhã.",
    "id": "Rumah ini berada di kota Medan dan memiliki tiga kamar tidur. Harga rumah itu lebih "
    "mahal karena lokasinya "
    "dekat dengan kantor. Anda bisa melihat rumah tersebut setelah membuat janji, namun hanya pada hari kerja.",
    "ms": "Rumah ini terletak di bandar Kuala Lumpur dan mempunyai tiga bilik tidur. Harga rumah itu lebih mahal "
    "kerana lokasinya berhampiran dengan pejabat. Anda boleh melihat rumah tersebut selepas membuat "
    "temu janji, iaitu "
    "pada hari bekerja sahaja.",
    "de": "Die Katze saß auf der Matte, weil sie müde war. Es gibt viele Menschen, die hier waren und nicht gehen.",
    "fr": "Le chat s'est assis sur le tapis parce qu'il était fatigué. Il y a beaucoup de gens qui sont venus ici.",
    "it": "Il gatto si è seduto sul tappeto perché era stanco. Ci sono molte persone che sono state qui con gli altri.",
    "nl": "De kat zat op de mat omdat hij moe was. Er zijn veel mensen die hier geweest zijn en niet willen gaan.",
    "sv": "Katten satt på mattan eftersom den var trött. Det finns många människor som har varit här "
    "och inte går, och så ska det vara efter att jag var där eller när hon såg oss.",
    "da": "Katten sad på måtten, fordi den var træt. Der er mange mennesker, som har været her af "
    "sig selv, og de vil "
    "ikke gå hjem efter skolen med mig.",
    "no": "Katten satt på matten fordi den var trøtt. Det er mange mennesker som har vært her, og "
    "de vil ikke gå hjem "
    "etter skolen av seg selv, så det ble mye bråk og hun gikk ut over gata nå.",
    "fi": "Kissa istui matolla, koska se oli väsynyt. Hän ei ole se joka voi olla mukana, mutta myös kun niin "
    "sanotaan.",
    "tr": "Kedi yorgun olduğu için halının üzerine oturdu. Burada çok insan var ve daha sonra bir "
    "gün gidecekler ama "
    "bu kadar gibi değil.",
    "pl": "Kot usiadł na macie, ponieważ był zmęczony. Jest tu wielu ludzi, którzy nie chcą się "
    "stąd ruszyć, ale to "
    "jest już ich problem.",
    "cs": "Kočka seděla na rohožce, protože byla unavená. Jsou to lidé, které jsem již potkal, ale "
    "jen na chvíli, když "
    "by bylo také něco podle jeho rozumu.",
    "vi": "Con mèo ngồi trên tấm thảm vì nó mệt. Có nhiều người đã ở đây và họ không muốn đi, nhưng "
    "những người này sẽ "
    "phải về nhà.",
    "ca": "El gat es va asseure a la catifa perquè estava cansat. Hi ha moltes persones que han estat aquí amb els.",
    "ro": "Pisica s-a așezat pe covor pentru că era obosită. Sunt mulți oameni care au fost aici și nu vor să plece.",
    "hu": "A macska leült a szőnyegre, mert fáradt volt. Sok ember van itt, aki nem akar elmenni, és ez már csak egy.",
    "ru": "Кошка сидела на коврике, потому что она устала. Здесь много людей, которые были тут и не "
    "хотят уходить, но "
    "они должны, как все, чтобы это было уже для нас, если только мы есть.",
    "uk": "Кішка сиділа на килимку, тому що вона втомилася. Тут багато людей, які були тут і не "
    "хочуть іти, але вони "
    "повинні, як усі, щоб це було добре.",
    "bg": "Котката седеше на килима, защото беше уморена. Тук има много хора, които са били тук и "
    "не искат да си ходят, но "
    " ще трябва да се върнат с другите от града.",
    "ar": "جلس القط على السجادة لأنه كان متعبا. هناك الكثير من الناس الذين كانوا هنا ولا يريدون "
    "الذهاب إلى البيت بعد أن "
    "جاءوا من المدينة في هذا اليوم.",
    "fa": "گربه روی فرش نشست چون خسته بود. افراد زیادی هستند که در اینجا بوده‌اند، اما این کار را "
    "باید با هم بکنند تا شب.",
    "ur": "بلی قالین پر بیٹھ گئی کیونکہ وہ تھکی ہوئی تھی۔ یہاں بہت سے لوگ ہیں جو یہاں رہے ہیں اور "
    "وہ نہیں جانا چاہتے کہ "
    "اس کے بعد کیا ہو۔",
    "hi": "बिल्ली चटाई पर बैठी क्योंकि वह थक गई थी। यहाँ बहुत से लोग हैं जो यहाँ रहे हैं और जाना नहीं चाहते, लेकिन उनके पास एक घर है।",
    "he": "החתול ישב על השטיח כי הוא היה עייף. יש הרבה אנשים שהיו כאן והם לא רוצים ללכת, אבל זה לא כל מה שהיה.",
    "ja": "猫は疲れていたのでマットの上に座った。",
    "zh": "猫因为累了坐在垫子上。",
    "ko": "고양이는 피곤해서 매트 위에 앉았다.",
    "th": "แมวนั่งบนเสื่อเพราะมันเหนื่อย",
    "el": "Η γάτα κάθισε στο χαλί.",
    "ta": "பூனை பாயில் அமர்ந்தது.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_each_language_is_found(code):
    found = detect([TEXTS[code]])
    assert found.code == code
    assert found.share >= 0.8
    assert found.words > 1


@pytest.mark.parametrize("code", ["es", "ar", "id"])
def test_some_english_names_do_not_matter(code):
    assert detect([TEXTS[code], TEXTS[code], "Google Cloud Platform, New York"]).code == code


@pytest.mark.parametrize(
    "text, told",
    [
        (f"{TEXTS['en']} {TEXTS['es']}", r"English \(en\)"),
        (f"{TEXTS['fr']} {TEXTS['de']}", r"French \(fr\)"),
        (
            "Rumah itu ada di Medan. Di dalam rumah ini ada tiga kamar. Yang lain akan dari pada itu.",
            r"Indonesian \(id\) or Malay",
        ),
        (
            "Mačka je sjedila na tepihu jer je bila umorna. Ovdje ima ljudi koji su bili tu i ne žele.",
            r"Croatian \(hr\) or Serbian",
        ),
        (f"{TEXTS['ar']} {TEXTS['en']}", r"several scripts \(\d+% Arabic, \d+% Latin\)"),
        (f"{TEXTS['ja']} {TEXTS['ko']} 한국어 문장 하나 더", "several scripts"),
        ("Paris", "only 0 of 1 words"),
        ("安倍晋三", r"Chinese \(zh\), but too few words are in its script \(4\)"),
        ("Αθήνα", r"too few words are in its script \(1\)"),
        ("Rio de Janeiro, Los Angeles, La Paz, Ludwig van Beethoven", "say it with --language"),
        ("12 345 ... 😀", "no words to tell the language by"),
        ("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "only 0 of 2 words"),
        ("", "no words"),
    ],
)
def test_what_could_be_two_languages_is_not_guessed(text, told):
    with pytest.raises(SpecError, match=told):
        detect([text])
    with pytest.raises(SpecError, match="language=auto"):
        detect([text])


@pytest.mark.parametrize(
    "text, scarce",
    [
        ("", True),
        ("Medan", True),
        ("安倍晋三", True),
        ("Rumah itu ada di Medan. Di dalam rumah ini ada tiga kamar. Yang lain akan dari pada itu.", True),
        (f"{TEXTS['en']} {TEXTS['es']}", False),
        (f"{TEXTS['ar']} {TEXTS['en']}", False),
    ],
)
def test_more_text_helps_where_there_is_little_and_not_where_it_contradicts_itself(text, scarce):
    assert find_language([text]).scarce == scarce


def test_an_equal_text_counts_once_and_order_does_not_matter():
    texts = [TEXTS["en"], TEXTS["en"].upper(), TEXTS["es"], TEXTS["fr"]]
    assert detect([TEXTS["es"]] * 50) == detect([TEXTS["es"]])
    with pytest.raises(SpecError) as one:
        detect(texts)
    with pytest.raises(SpecError) as other:
        detect(texts[::-1])
    assert str(one.value) == str(other.value)


def test_of_much_text_a_part_is_looked_at():
    """Of more than 2 million characters so many are looked at: of four texts that are too long, every third."""
    text = TEXTS["es"] * (1_300_000 // len(TEXTS["es"]))
    each = detect([text]).words
    assert detect([f"{text} {number}" for number in range(4)]).words == 2 * each


def test_in_words():
    assert str(Detected("es", 0.96, "pt", 1812)) == (
        "Spanish (es): 96% of 1,812 common words that tell, the rest of Portuguese"
    )
    assert str(Detected("th", 1.0, "", 20)) == "Thai (th): 100% of 20 words in its script"
    assert str(Detected("en", 1.0, "nl", 20)) == "English (en): 100% of 20 common words that tell"


def test_lists_are_of_known_languages_and_read_as_texts_are():
    assert stop_words().keys() <= languages().keys()
    for code, words in stop_words().items():
        assert 20 <= len(words) <= 70, code
        assert all(Tokenizer.of("word").words(word) == [word] for word in words)
    for one, other in (("en", "de"), ("es", "pt"), ("id", "ms"), ("da", "no"), ("ru", "uk"), ("ar", "fa")):
        assert len(stop_words()[one] - stop_words()[other]) >= 8


def group(language, *items, text=""):
    return make_scorable([(item, make_answer(item=item.id, text=text)) for item in items], language=language).group


def test_a_run_finds_it_once_in_the_references():
    found = group("auto", make_item("1", references=(TEXTS["es"],)), make_item("2"), text=TEXTS["en"])
    assert found.language == "es"
    assert found.detected.code == "es"
    assert found.languages == ["es"]


def test_a_run_without_references_looks_at_the_answers():
    assert group("Auto", make_item("1"), text=TEXTS["en"]).languages == ["en"]


def test_only_questions_that_do_not_say_theirs_are_looked_at():
    said = make_item("1", references=(TEXTS["es"],), tags={"language": "Spanish"})
    both = group("auto", said, make_item("2", references=(TEXTS["en"],)))
    assert both.languages == ["en", "es"]
    assert both.detected.code == "en"
    alone = group("auto", said)
    assert (alone.languages, alone.detected, alone.language) == (["es"], None, "")


def test_unclear_texts_stop_what_asks_for_them():
    unclear = group("auto", make_item("1", references=("Medan",)))
    with pytest.raises(SpecError, match="say it with --language"):
        _ = unclear.languages


def test_what_is_said_wrongly_is_told_with_its_item():
    wrong = make_item("q7", tags={"language": "python"})
    with pytest.raises(SpecError, match="item 'q7', tag language: no language is called 'python'"):
        _ = group("", wrong).languages
    with pytest.raises(SpecError, match="no language is called 'Engl'"):
        _ = group("Engl", make_item("1")).language
    assert group("English", make_item("1")).languages == ["en"]
    assert group("", make_item("1")).languages == [""]
