"""Shipped files are found in a checkout and in an installed package alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena_tui import resources
from arena_tui.errors import UsageError


def package(root: Path, inside: str) -> Path:
    """A package folder whose shipped folders lie at `inside`."""
    made = root / "arena_tui"
    made.mkdir(exist_ok=True)
    for name in ("config", "prompts"):
        (made / inside / name / "pools").mkdir(parents=True)
        (made / inside / name / "demo.yaml").write_text(inside)
    return made


@pytest.mark.parametrize("inside", ["_bundled", ".."])
def test_folders_are_found_installed_and_in_a_checkout(tmp_path: Path, inside: str) -> None:
    made = package(tmp_path, inside)
    for name in ("config", "prompts"):
        assert resources.folder(name, made).resolve() == (made / inside / name).resolve()
        assert resources.shipped_file(f"{name}/demo.yaml", made).read_text() == inside


def test_the_installed_folder_goes_before_one_that_lies_beside_it(tmp_path: Path) -> None:
    package(tmp_path, "..")
    made = package(tmp_path, "_bundled")
    assert resources.shipped_file("config/demo.yaml", made).read_text() == "_bundled"


def test_this_checkout_has_both_folders() -> None:
    assert resources.folder("config").is_dir()
    assert resources.folder("prompts").is_dir()


def test_a_broken_installation_is_named(tmp_path: Path) -> None:
    (tmp_path / "arena_tui").mkdir()
    with pytest.raises(UsageError, match="the folder 'config' that belongs to arena is missing"):
        resources.folder("config", tmp_path / "arena_tui")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("config/dem.yaml", "did you mean config/demo.yaml?"),
        ("config/../arena_tui", "its files are below config/ and prompts/"),
        ("demo.yaml", "its files are below config/ and prompts/"),
        ("/etc/passwd", "its files are below config/ and prompts/"),
    ],
)
def test_what_is_not_shipped_is_refused(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        resources.shipped_file(name, package(tmp_path, "_bundled"))
    assert sentence in str(refused.value)


def test_a_file_of_the_users_goes_before_a_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = package(tmp_path, "_bundled")
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    relative = Path("config/demo.yaml")
    assert resources.locate(relative, made) == made / "_bundled" / relative
    assert resources.locate(Path("config/none.yaml"), made) == Path("config/none.yaml")
    (empty / "config").mkdir()
    (empty / relative).write_text("mine")
    assert resources.locate(relative, made) == relative
    absolute = tmp_path / "gone" / "demo.yaml"
    assert resources.locate(absolute, made) == absolute
