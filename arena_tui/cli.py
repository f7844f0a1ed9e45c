"""The command line: what can be typed. Each command imports what it needs when it is called.

Only click and light standard modules are imported here, so that `arena --help` is quick. Errors
meant for people are turned into one sentence on stderr and an exit code, in `main` and nowhere else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from arena_tui import __version__, exit_codes
from arena_tui.cli_studies import Word, audit, bench, rate, rubric
from arena_tui.errors import ArenaError, UsageError
from arena_tui.streams import accept_all_text, flush_streams, replace_closed_streams, silence

EPILOG = (
    "`arena FILE` runs a tournament file; an unfinished run of it goes on where it stopped. "
    "`arena FILE --help` shows its options."
)


class DefaultToRun(click.Group):
    """`arena FILE` and `arena --no-ui FILE` mean `arena run ...`, a command that is not listed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h", "--version"):
            self._refuse_mistyped(args[0])
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def _refuse_mistyped(self, word: str) -> None:
        """A word that cannot be meant as a file is a mistyped command."""
        if word.startswith("-") or os.sep in word or "." in word or os.path.lexists(word):
            return
        from arena_tui.values import did_you_mean, shown

        named = [name for name, command in self.commands.items() if not command.hidden]
        hint = did_you_mean(word, named) or "`arena --help` lists the commands"
        raise UsageError(f"no command or file {shown(word)}; {hint}")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader of stdout that has gone is no error, for all it wanted is said."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return None
        finally:
            flush_streams()


@click.group(
    cls=DefaultToRun,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="arena")
@click.pass_context
def arena(ctx: click.Context) -> None:
    """Tournaments of ideas: which text is best, how sure that is, and why."""
    if ctx.invoked_subcommand is None:
        from arena_tui.commands.console import has_console

        if has_console():
            from arena_tui.commands.front import home

            ctx.exit(home())
        click.echo(ctx.get_help(), err=True)
        ctx.exit(exit_codes.USAGE)


def _display_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--no-mouse", is_flag=True, help="The console leaves the mouse to the terminal."),
        click.option("--ascii", is_flag=True, help="The console draws without Unicode signs."),
        click.option("--theme", metavar="NAME", help="The console's theme, for this time."),
    ):
        command = option(command)
    return command


def _output_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--events", metavar="FILE|-", help="Also write typed events as JSON Lines."),
        click.option("--quiet", is_flag=True, help="No lines while it runs."),
        click.option("--json", "as_json", is_flag=True, help="The result as one JSON object on stdout."),
        click.option("--no-ui", is_flag=True, help="Headless: lines on stderr, the final table on stdout."),
    ):
        command = option(command)
    return command


@arena.command(hidden=True)
@click.argument("file", required=False)
@_output_options
@_display_options
@click.option("--detach", is_flag=True, help="Run headless in the background and say how to watch it.")
@click.option("--db", metavar="FILE", help="The run's database file (default: a new one in the data folder).")
@click.option("--new", is_flag=True, help="A fresh run, even if one of this file is unfinished.")
@click.option("--extend", is_flag=True, help="Go on with the last run and admit candidates the file gained.")
@click.option("--seed", type=int, help="The seed of a new run.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Override a key of the file.")
def run(**options: Any) -> None:
    """Run a tournament file: in the console on a terminal, else headless."""
    from arena_tui.commands.front import run_file

    sys.exit(run_file(**options))


@arena.command()
@click.argument("run", required=False)
@_output_options
@_display_options
@click.option("--add-usd", type=float, metavar="X", help="Raise the limit of money by X USD.")
@click.option("--add-tokens", type=int, metavar="N", help="Raise the limit of tokens by N.")
@click.option("--add-matches", type=int, metavar="N", help="Raise the limit of matches by N.")
@click.option("--add-time", metavar="T", help="Raise the limit of running time by T, as in 30m.")
def resume(**options: Any) -> None:
    """Go on with a stopped run (the newest unfinished one, if none is named)."""
    from arena_tui.commands.front import resume_run

    sys.exit(resume_run(**options))


@arena.command()
@click.argument("run", required=False)
@_display_options
def watch(run: str | None, **display: Any) -> None:
    """Follow a run that another process drives, or look at one that is over (by default the newest)."""
    from arena_tui.commands.front import watch_run

    sys.exit(watch_run(run, **display))


@arena.command()
@click.option("--json", "as_json", is_flag=True, help="A JSON list, newest first.")
def runs(as_json: bool) -> None:
    """All runs of the data folder, newest first."""
    from arena_tui.commands.runs import list_runs

    list_runs(as_json)


@arena.command()
@click.argument("run", required=False)
@click.option("--match", metavar="N", help="One match with all that was said: its number, or GROUP:NUMBER.")
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object.")
def show(run: str | None, match: str | None, as_json: bool) -> None:
    """What a run amounts to: standings, counts, how it ended."""
    from arena_tui.commands.runs import show_match, show_run

    if match is not None:
        show_match(run, match, as_json)
    else:
        show_run(run, as_json)


@arena.command()
@click.argument("run", required=False)
def verify(run: str | None) -> None:
    """Check a run's database and refold its ratings from the journal."""
    from arena_tui.commands.runs import verify_run

    sys.exit(verify_run(run))


@arena.command()
@click.argument("run")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(run: str, yes: bool) -> None:
    """Delete a run for good."""
    from arena_tui.commands.runs import delete_run

    sys.exit(delete_run(run, yes))


@arena.command(context_settings={"ignore_unknown_options": True})
@click.argument("run")
@click.argument("verb")
@click.argument("args", nargs=-1)
def act(run: str, verb: str, args: tuple[str, ...]) -> None:
    """Act on a run, also on one that another process drives.

    \b
    VERB and ARGS:
      pause | resume | abort
      pin ID | unpin ID | reject ID | restore ID
      add FILE                  candidates of a pool file
      focus ID                  meets its nearest opponent next
      match A B                 these two meet next
      overrule MATCH OUTCOME    MATCH: its number, or GROUP:NUMBER; OUTCOME: a, b, draw, void or an id
      limit KEY=VALUE           usd, tokens, wall_clock, matches, concurrency, lookahead, grace,
                                per_group.usd, per_group.tokens, per_group.matches
    """
    from arena_tui.commands.act import act_on

    sys.exit(act_on(run, verb, args))


@arena.command()
@click.argument("run", required=False)
@click.option(
    "--what",
    type=Word(["standings", "matches", "comparisons", "pairings", "config"]),
    default="standings",
    show_default=True,
)
@click.option("--to", type=click.Path(path_type=Path), help="A .csv, .jsonl, .md or (config) .yaml file.")
@click.option("--times", is_flag=True, help="Add wall-clock times to matches.")
def export(run: str | None, what: str, to: Path | None, times: bool) -> None:
    """Write a run's standings, matches, comparisons, pairings or tournament file."""
    from arena_tui.commands.export import export_run

    export_run(run, what, to, times)


@arena.command()
@click.argument("file")
def check(file: str) -> None:
    """Name every problem of a tournament file with its line; exit 0 when there is none."""
    from arena_tui.commands.files import check_file

    sys.exit(check_file(file))


@arena.command()
@click.argument("file")
@click.option("--seed", type=int, help="The seed to forecast with.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Override a key of the file.")
@click.option("--json", "as_json", is_flag=True, help="The forecast as one JSON object.")
def plan(file: str, seed: int | None, assignments: tuple[str, ...], as_json: bool) -> None:
    """Forecast a run: the real format against a simulated judge."""
    from arena_tui.commands.files import plan_file

    plan_file(file, seed, assignments, as_json)


for study in (audit, rubric, rate, bench):
    arena.add_command(study)


def main(argv: list[str] | None = None) -> NoReturn:
    """The entry point of the `arena` script."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: threads only wait for each other
    replace_closed_streams()
    accept_all_text()
    try:
        code = arena.main(argv, prog_name="arena", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(exit_codes.USAGE)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(exit_codes.EXTERNAL)
    except ArenaError as error:
        from arena_tui.safetext import clean

        click.echo(f"arena: {clean(str(error))}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.filename is not None:
            raise  # files are the business of those who open them; this here is about our output
        silence(sys.stdout)
        click.echo(f"arena: the output could not be written ({error.strerror})", err=True)
        sys.exit(exit_codes.ERROR)
    sys.exit(code if isinstance(code, int) else exit_codes.OK)
