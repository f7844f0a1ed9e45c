"""What every test shares: the fakes can be imported, and property tests do not judge how long code takes."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).with_name("fakes")))

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")
