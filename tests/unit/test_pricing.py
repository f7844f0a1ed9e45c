"""What tokens cost: list prices, the user's own, nothing for local models, None for what is not known."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from genai_prices import types
from genai_prices.data_snapshot import get_snapshot

from arena_tui.providers import pricing
from arena_tui.providers.base import NO_TOKENS, Tokens
from arena_tui.providers.pricing import ZERO, Price, cost, price_of


def test_list_prices_are_those_of_the_data_that_is_shipped():
    for model in ("anthropic:claude-sonnet-4-5", "openai:gpt-4o-mini", "google:gemini-2.5-flash"):
        prefix, _, name = model.partition(":")
        _, listed = get_snapshot().find_provider_model(name, None, prefix, None)
        price = price_of(model)
        assert price is not None
        assert price.input > 0
        for tokens in (
            Tokens(input=1_000, output=500),
            Tokens(input=150_000, cached_input=90_000, output=10),
            Tokens(input=250_000, cached_input=100_000, output=2_000),
        ):
            usage = types.Usage(
                input_tokens=tokens.input,
                cache_read_tokens=tokens.cached_input,
                output_tokens=tokens.output,
            )
            expected = get_snapshot().calc(usage, name, prefix, None, datetime.now(UTC)).total_price
            assert cost(tokens, price) == pytest.approx(float(expected)), (model, tokens)
        assert listed.prices


def test_written_cache_is_dearer_and_read_cache_cheaper_at_anthropic():
    price = price_of("anthropic:claude-sonnet-4-5")
    assert price is not None
    assert price.cached_input is not None
    assert price.cache_write is not None
    assert price.cached_input < price.input < price.cache_write
    plain = cost(Tokens(input=1000), price)
    assert (
        cost(Tokens(input=1000, cached_input=900), price)
        < plain
        < cost(Tokens(input=1000, cache_write=900), price)
    )


@pytest.mark.parametrize(
    "model",
    [
        "anthropic:claude-sonnet-99",
        "openai:house-model",
        "openrouter:nobody/nothing",
        "unheard:of",
        "plain",
        "",
    ],
)
def test_an_unknown_price_is_none_and_never_0(model):
    assert price_of(model) is None
    assert cost(Tokens(input=10, output=10), None) is None
    assert cost(NO_TOKENS, None) == 0.0


@pytest.mark.parametrize("model", ["ollama:llama3", "vllm:x", "llamacpp:smollm2", "mock:panel"])
def test_local_models_cost_nothing(model):
    assert price_of(model) == ZERO
    assert cost(Tokens(input=10**6, output=10**6), ZERO) == 0.0


def test_the_caller_may_know_that_a_server_is_local():
    assert price_of("openai:house-model", local=True) == ZERO


def test_the_users_price_goes_before_any_other():
    own = Price(1.0, 2.0)
    assert price_of("anthropic:claude-sonnet-4-5", own) is own
    assert price_of("ollama:llama3", own) is own


def test_the_address_says_who_serves():
    known = price_of("openai:llama-3.3-70b-versatile", base_url="https://api.groq.com/openai/v1")
    assert known is not None
    assert price_of("openai:llama-3.3-70b-versatile") is None


def test_a_gateway_charges_what_its_provider_does():
    behind = price_of("openai:gpt-4o-mini", base_url="https://gateway.example/v1")
    assert behind == price_of("openai:gpt-4o-mini")
    assert price_of("openai:gpt-4o-mini", base_url="https://api.openai.com/v1") == behind


def test_cost_books_cached_tokens_apart():
    price = Price(10.0, 100.0, cached_input=1.0, cache_write=20.0)
    tokens = Tokens(input=1000, cached_input=600, cache_write=300, output=50)
    assert cost(tokens, price) == pytest.approx((100 * 10 + 600 * 1 + 300 * 20 + 50 * 100) / 1e6)


def test_cached_tokens_cost_as_others_where_nothing_else_is_known():
    assert cost(Tokens(input=1000, cached_input=600, cache_write=300), Price(10.0, 1.0)) == pytest.approx(
        0.01
    )


def test_a_long_request_is_priced_whole_by_its_tier():
    price = Price(1.0, 10.0, longer=((1000, Price(2.0, 20.0)), (5000, Price(3.0, 30.0))))
    assert cost(Tokens(input=1000, output=10), price) == pytest.approx((1000 + 100) / 1e6)
    assert cost(Tokens(input=1001, output=10), price) == pytest.approx((2002 + 200) / 1e6)
    assert cost(Tokens(input=9000, output=10), price) == pytest.approx((27000 + 300) / 1e6)


def test_prices_that_change_with_date_and_time_of_day_are_taken_at_their_dearest_today():
    def offer(usd, constraint=None):
        return types.ConditionalPrice(
            constraint, prices=types.ModelPrice(input_mtok=Decimal(usd), output_mtok=Decimal(usd) * 2)
        )

    model = types.ModelInfo(
        id="m",
        match=types.ClauseEquals("m"),
        prices=[
            offer(90),
            offer(3, types.StartDateConstraint(datetime(2020, 1, 1).date())),
            offer(
                5, types.TimeOfDateConstraint(datetime(2020, 1, 1, 1).time(), datetime(2020, 1, 1, 2).time())
            ),
            offer(70, types.StartDateConstraint(datetime(2999, 1, 1).date())),
        ],
    )
    assert pricing._listed(model) == Price(5.0, 10.0)


def test_a_model_without_a_price_by_tokens_is_unknown():
    model = types.ModelInfo(
        id="m", match=types.ClauseEquals("m"), prices=types.ModelPrice(input_mtok=Decimal(1))
    )
    assert pricing._listed(model) is None


def test_genai_prices_is_imported_only_when_a_list_price_is_looked_up():
    script = (
        "import sys; from arena_tui.providers import pricing as p; "
        "p.price_of('mock:x'); p.price_of('openai:x', p.Price(1, 1)); print('genai_prices' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
