"""`arena`, `arena FILE`, `arena resume` and `arena watch`: the console on a terminal, headless elsewhere.

Imports nothing heavy by itself, for the console's first frame waits for it.
"""

from __future__ import annotations

from arena_tui.commands.console import Display, Output, has_console, open_console, require_console
from arena_tui.errors import UsageError


def home() -> int:
    """`arena` alone: all runs."""
    from arena_tui.console.app import Opening

    return open_console(Opening())


def run_file(
    *,
    file: str | None,
    no_ui: bool,
    detach: bool,
    as_json: bool,
    quiet: bool,
    events: str | None,
    db: str | None,
    new: bool,
    extend: bool,
    seed: int | None,
    assignments: tuple[str, ...],
    theme: str | None,
    ascii: bool,
    no_mouse: bool,
) -> int:
    """Run a tournament file; the process's exit code. See `cli.run` for the options."""
    headless = no_ui or detach or not has_console()
    if file is None and headless:
        raise UsageError("which tournament file? as in `arena --no-ui config/demo.yaml`")
    if new and extend:
        raise UsageError(
            "--new and --extend exclude each other: a fresh run, or the last one with more candidates"
        )
    if detach and (as_json or events is not None):
        raise UsageError("--detach leaves at once: `arena show RUN --json` gives the result later")
    if file is not None and detach:
        from arena_tui.commands.detach import detach as run_detached

        return run_detached(file, db=db, new=new, extend=extend, seed=seed, assignments=assignments)
    if file is not None and headless:
        from arena_tui.commands.run import run_headless

        return run_headless(
            file=file,
            as_json=as_json,
            quiet=quiet,
            events=events,
            db=db,
            new=new,
            extend=extend,
            seed=seed,
            assignments=assignments,
        )
    from arena_tui.cockpit.installation import FileOptions
    from arena_tui.console.app import Opening

    return open_console(
        Opening(file=file),
        display=Display(theme, ascii, no_mouse),
        output=Output(as_json, quiet, events),
        options=FileOptions(db, new, extend, seed, assignments),
    )


def resume_run(
    *,
    run: str | None,
    no_ui: bool,
    as_json: bool,
    quiet: bool,
    events: str | None,
    add_usd: float | None,
    add_tokens: int | None,
    add_matches: int | None,
    add_time: str | None,
    theme: str | None,
    ascii: bool,
    no_mouse: bool,
) -> int:
    """Go on with a stopped run, with higher limits if asked; the process's exit code."""
    from arena_tui.store import folder

    add = _added(add_usd, add_tokens, add_matches, add_time)
    path = folder.unfinished_run() if run is None else folder.find_run(run)
    if no_ui or not has_console():
        from arena_tui.commands.run import resume_headless

        return resume_headless(path, add, as_json=as_json, quiet=quiet, events=events)
    from arena_tui.console.app import Opening

    return open_console(
        Opening(db=path, resume=True),
        display=Display(theme, ascii, no_mouse),
        output=Output(as_json, quiet, events),
        add=add,
    )


def _added(usd: float | None, tokens: int | None, matches: int | None, time: str | None) -> dict[str, float]:
    """The `--add-*` options, checked."""
    from arena_tui.values import seconds

    add: dict[str, float] = {}
    for name, more in (("usd", usd), ("tokens", tokens), ("matches", matches)):
        if more is not None:
            if not 0 < more < float("inf"):
                raise UsageError(f"--add-{name} {more:g}: give a number above 0")
            add[name] = more
    if time is not None:
        try:
            add["time"] = seconds(time)
        except ValueError as error:
            raise UsageError(f"--add-time {time}: {error}") from None
    return add


def watch_run(run: str | None, *, theme: str | None, ascii: bool, no_mouse: bool) -> int:
    """Follow a run; the process's exit code."""
    require_console("arena watch")
    from arena_tui.console.app import Opening
    from arena_tui.store import folder
    from arena_tui.store.reader import Reader

    path = folder.find_run(run)
    with Reader(path) as reader:  # what is no run is refused before anything is drawn
        reader.last_pos()
    return open_console(Opening(db=path), display=Display(theme, ascii, no_mouse))
