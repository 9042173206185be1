import pytest

from neraca.models.cost import Price, Spent, tokens


def test_tokens_are_a_quarter_of_the_bytes():
    assert tokens("abcd" * 5) == 5
    assert tokens("é" * 4) == 2, "two bytes each"
    assert tokens("四つの文字です") == 6, "21 bytes, rounded up"
    assert tokens("") == 0


def test_sums_and_differences_keep_what_is_unknown_unknown():
    one = Spent(calls=1, cached=2, wasted=3, refused=1, input_tokens=4, output_tokens=5, cost=0.5)
    assert one + one == Spent(calls=2, cached=4, wasted=6, refused=2, input_tokens=8, output_tokens=10, cost=1.0)
    assert (one + Spent(cost=None)).cost is None
    assert (Spent(cost=None) + one).cost is None
    assert one + one - one == one
    assert ((one - Spent(cost=None)).cost, (Spent(cost=None) - one).cost) == (None, None)


@pytest.mark.parametrize("model", ["openai:gpt-4o-mini", "openai-chat:gpt-4o-mini", "openai-responses:gpt-4o-mini"])
def test_a_price_that_genai_prices_knows(model):
    """OpenAI's price list, July 2024: $0.15 and $0.60 per million tokens."""
    assert Price(model).of(1_000_000, 1_000_000) == pytest.approx(0.75)
    assert Price(model, "https://api.openai.com/v1").of(2_000_000, 0) == pytest.approx(0.30)


def test_a_model_of_this_name_elsewhere_has_no_known_price():
    for host in ("localhost:11434", "127.0.0.1", "[::1]:8000", "me:pw.x@box", "models.example.org"):
        assert Price("openai:gpt-4o-mini", f"http://{host}/v1").of(1000, 10) is None
    assert Price("nobody:nothing").of(1000, 10) is None


def test_the_users_own_price():
    assert Price("openai:gpt-4o-mini", "http://localhost/v1", (2.0, 8.0)).of(500_000, 250_000) == 3.0
    assert Price("x:y", per_million=(0.0, 0.0)).of(1, 1) == 0.0


def test_input_that_the_provider_had_in_its_own_cache_is_cheaper():
    from genai_prices import Usage

    usage = Usage(input_tokens=1_000_000, output_tokens=0, cache_read_tokens=1_000_000)
    assert Price("openai:gpt-4o-mini").of(1_000_000, 0, usage) == pytest.approx(0.075)
    odd = Usage(input_tokens=1, output_tokens=0, cache_read_tokens=10)
    assert Price("openai:gpt-4o-mini").of(1, 0, odd) is None
