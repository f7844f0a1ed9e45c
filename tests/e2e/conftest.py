"""Fixtures of the end-to-end tests: an `arena` of their own, whose processes end with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from arena_cli import Arena


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    """The command line in an empty folder with an empty ARENA_HOME."""
    made = Arena(tmp_path)
    yield made
    for running in made.started:
        if not running.ended:
            running.process.kill()
            running.process.wait()
