"""When another attempt is made, and after how long."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_provider import fault

from arena_tui.providers.base import RETRIED
from arena_tui.providers.retry import RetryPolicy, in_words


def test_backoff_is_drawn_between_nothing_and_a_doubling_bound_up_to_the_cap():
    policy, rng = RetryPolicy(attempts=50), random.Random(1)
    for n, bound in ((1, 1.0), (2, 2.0), (3, 4.0), (6, 32.0), (7, 60.0), (40, 60.0)):
        drawn = [policy.delay(n, None, rng) for _ in range(2000)]
        assert max(drawn) <= bound
        assert min(drawn) < bound * 0.01  # full jitter: down to nothing
        assert sum(drawn) / len(drawn) == pytest.approx(bound / 2, rel=0.1)


def test_same_seed_gives_the_same_backoff():
    policy = RetryPolicy()
    assert policy.delay(3, None, random.Random(7)) == policy.delay(3, None, random.Random(7))


def test_retry_after_is_the_least_that_is_waited():
    policy, rng = RetryPolicy(), random.Random(2)
    assert {policy.delay(1, 20.0, rng) for _ in range(100)} == {20.0}
    waits = [policy.delay(5, 3.0, rng) for _ in range(300)]
    assert min(waits) == 3.0
    assert max(waits) > 10.0


def test_retry_after_over_its_cap_ends_the_call_instead_of_the_hour_being_slept():
    policy, rng = RetryPolicy(), random.Random(3)
    assert policy.delay(1, 300.0, rng) == 300.0
    assert policy.delay(1, 3600.0, rng) is None
    busy = fault("rate_limited", retry_after=3600.0)
    assert policy.is_down(busy)
    assert policy.after(busy, 1, 0.0, rng) == (
        "it asks for a pause of 60 min, longer than the 5 min that a call waits"
    )


def test_attempts_are_counted():
    policy, rng = RetryPolicy(attempts=3), random.Random(4)
    assert isinstance(policy.after(fault("server"), 2, 0.0, rng), float)
    assert policy.after(fault("server"), 3, 0.0, rng) == "given up after 3 attempts"
    assert RetryPolicy(attempts=1).after(fault("cut"), 1, 0.0, rng) == "given up after 1 attempt"


def test_no_attempt_begins_after_the_time_of_a_call_is_over():
    policy, rng = RetryPolicy(seconds=100.0), random.Random(5)
    assert policy.after(fault("timeout", retry_after=40.0), 2, 60.0, rng) == 40.0
    assert "at most" not in str(policy.after(fault("timeout"), 2, 10.0, rng))
    assert policy.after(fault("timeout", retry_after=41.0), 2, 60.0, rng) == (
        "given up after 2 attempts, since 100 s is the most a call may take"
    )


@pytest.mark.parametrize("kind", ["refused", "rejected", "too_long", "unknown"])
def test_what_no_attempt_can_mend_is_not_tried_again(kind):
    assert RetryPolicy().after(fault(kind, retry_after=1.0), 1, 0.0, random.Random(6)) == ""
    assert not RetryPolicy().is_down(fault(kind, retry_after=9999.0))


@pytest.mark.parametrize("kind", sorted(RETRIED))
def test_what_may_pass_is_tried_again(kind):
    assert isinstance(RetryPolicy().after(fault(kind), 1, 0.0, random.Random(6)), float)


@given(
    n=st.integers(1, 10_000),
    retry_after=st.none() | st.floats(0, 1e9),
    seed=st.integers(),
    policy=st.builds(
        RetryPolicy,
        attempts=st.integers(1, 20_000),
        base=st.floats(0, 100),
        cap=st.floats(0, 100),
        retry_after_cap=st.floats(0, 1000),
    ),
)
def test_any_delay_is_bounded(n, retry_after, seed, policy):
    wait = policy.delay(n, retry_after, random.Random(seed))
    if wait is not None:
        assert (retry_after or 0.0) <= wait <= max(policy.cap, policy.retry_after_cap)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.5, "0.5 s"), (90, "90 s"), (300, "5 min"), (5400, "90 min"), (9000, "2.5 h")]
)
def test_lengths_of_time_in_words(seconds, words):
    assert in_words(seconds) == words


def test_rate_limited_attempts_count_four_as_one() -> None:
    policy, rng = RetryPolicy(attempts=3), random.Random(1)
    assert policy.delay(3, None, rng) is None
    assert policy.delay(3, None, rng, limited=1) is not None
    assert policy.delay(11, None, rng, limited=11) is not None
    assert policy.delay(12, None, rng, limited=12) is None
