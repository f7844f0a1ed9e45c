"""What every test shares: property tests judge what the code does, never how long it takes."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")
