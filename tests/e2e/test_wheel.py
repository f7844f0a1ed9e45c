"""The wheel is complete: installed alone into a fresh venv, it runs the demo from an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built from this checkout with the build backend that is installed here."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (built,) = out.glob("*.whl")
    return built


def test_wheel_carries_config_and_prompts_and_nothing_of_the_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "arena_tui/_bundled/config/demo.yaml" in names
    assert any(name.startswith("arena_tui/_bundled/prompts/") for name in names)
    for migration in ("0001_initial.sql", "0002_speakers_and_flags.sql"):
        assert f"arena_tui/store/migrations/{migration}" in names
    assert not any(name.startswith(("tests/", "config/")) for name in names)


def test_installed_wheel_runs_the_demo_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, text=True)
    # The dependencies are this interpreter's: what the wheel declares is installed by its own test run.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {**os.environ, "ARENA_HOME": str(tmp_path / "home")}
    environment.pop("PYTHONPATH", None)
    command = [str(home / "bin" / "arena"), "--no-ui", "config/demo.yaml", "--set", "judge.latency=0"]
    done = subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "ELO_STABLE" in done.stderr
    assert "One cool room" in done.stdout.splitlines()[1]
    where = subprocess.run(
        [str(python), "-c", "import arena_tui; print(arena_tui.__file__)"],
        cwd=empty,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(home) in where.stdout
    assert list(empty.iterdir()) == []
