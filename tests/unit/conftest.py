"""Fixtures of the tests that speak to the loopback model server; see `provider_calls`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from model_server import ModelServer
from provider_calls import WIRES, Opener, plant_keys


@pytest.fixture
def planted_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_keys(monkeypatch)


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def opened() -> AsyncIterator[Opener]:
    opener = Opener()
    yield opener
    await opener.close()


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running
