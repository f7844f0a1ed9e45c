"""Adaptive schedules do not hang on how linear algebra is threaded, or on which kernels compute it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SETTINGS = (("1", ""), ("2", ""), ("1", "Nehalem"))  # threads, kernels


def test_schedules_are_equal_under_other_threads_and_kernels() -> None:
    folders = os.pathsep.join([str(HERE.parents[1]), str(HERE)])
    runs = []
    for threads, kernels in SETTINGS:
        env = os.environ | {"PYTHONPATH": folders, "OPENBLAS_NUM_THREADS": threads}
        env.pop("OPENBLAS_CORETYPE", None)
        if kernels:
            env["OPENBLAS_CORETYPE"] = kernels
        command = [sys.executable, str(HERE / "adaptive_runs.py"), "32", "93", "128", "80"]
        told = subprocess.run(command, env=env, capture_output=True, check=True, text=True, timeout=120)
        runs.append(told.stdout)
    assert runs[0].count("-") == 3 * (93 + 8) + 3 * (80 + 8)
    assert runs.count(runs[0]) == len(SETTINGS)
