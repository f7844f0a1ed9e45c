"""What every test shares: the fakes can be imported, and property tests do not judge how long code takes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `arena` itself does: threads only wait for each other

sys.path.insert(0, str(Path(__file__).with_name("fakes")))

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")
