"""`regard`: finds the command, runs it, and turns whatever ends it into an exit code and at most one line.

A command's file is imported when it is called, so that help and misspelt words cost no import of torch.
"""

from __future__ import annotations

import _thread
import importlib
import io
import os
import signal
import sys
import threading
from typing import NoReturn

import click

from regard import __version__
from regard.errors import UserError, suggest

# each is `command` in the file of its name
COMMANDS = {
    "demo": "Train on the embedded corpus and show what was learnt.",
    "train": "Learn from pairs, labels or plain text.",
    "translate": "Turn lines into lines.",
    "classify": "Give lines their labels.",
    "generate": "Go on with a text.",
    "evaluate": "Measure a model on pairs that it has not seen.",
    "score": "Tell how probable given targets are.",
    "inspect": "Show where a model looked.",
    "info": "Tell what a model or a run is, and how good.",
    "data": "Make corpora to try things on.",
}
EXAMPLES = """\b
Examples:
  regard demo
  regard train pairs.tsv --out runs/mine
  regard translate runs/mine < texts
  regard inspect runs/mine "il m'a entarté"
"""
FAILED = 2


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            ctx.fail(f"there is no command `{cmd_name}`{suggest(cmd_name, COMMANDS)}")
        command = importlib.import_module(f"regard.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Learn to turn one sequence into another, with attention, and look at what was learnt.

    Bring pairs (a table of sentences, words and pronunciations, dates, …); get a model, its score, and a map of where
    it looked. COMMAND --help tells more of each.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> NoReturn:
    """The program."""
    sys.unraisablehook = _heard
    code = run(sys.argv[1:])
    if any(thread.daemon for thread in threading.enumerate()):
        # one that still waits for input holds the lock of stdin, without which Python cannot end in good order
        os._exit(code)
    sys.exit(code)


def _heard(what: sys.UnraisableHookArgs) -> None:
    """Ctrl-C while an object is being thrown away is thrown away with it: it comes again a moment later."""
    if what.exc_type is KeyboardInterrupt:
        threading.Timer(0.05, _interrupt).start()
    else:
        sys.__unraisablehook__(what)


def _interrupt() -> None:
    """Ctrl-C for the main thread: as a signal of its own, which also ends a wait, where the system has such signals."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def run(args: list[str]) -> int:
    """Run a command line; its exit code is 0, or 2 after one line of error, or 128 + the signal that stopped it."""
    # closed by whoever called: what is said there goes nowhere
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: PTH123, SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # on every system the same bytes; a file's name that is not UTF-8 is printed as it is
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    try:
        code = _run(args)
        sys.stdout.flush()
        return code
    except OSError as error:
        # standard output takes no more; what is left in the buffer must go somewhere when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # whoever read it has enough
            return 128 + getattr(signal, "SIGPIPE", 13)
        return _say(f"error: standard output: {error.strerror}", FAILED)


def _run(args: list[str]) -> int:
    try:
        with commands.make_context("regard", args) as ctx:
            commands.invoke(ctx)
        return 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        return _say(f"error: {_usage(error)}", FAILED)
    except UserError as error:
        return _say(f"error: {error}", FAILED)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _say(f"error: {error.filename or 'a file or standard output'}: {error.strerror or error}", FAILED)
    except (MemoryError, RuntimeError) as error:
        if not _of_memory(error):
            raise
        return _say(
            "error: there is not enough memory: give smaller batches (train.batch_tokens), or a smaller model", FAILED
        )
    except KeyboardInterrupt as stop:
        # a run that was stopped in good order has a message, and knows the signal
        code = 128 + getattr(stop, "signal", signal.SIGINT)
        return _say(str(stop), code) if str(stop) else code


def _of_memory(error: Exception) -> bool:
    """torch has several ways to say it, and need not be imported to be understood."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "can't allocate memory" in str(error)
        or "Storage size calculation overflowed" in str(error)
    )


def _say(message: str, code: int) -> int:
    sys.stdout.flush()
    print(f"regard: {' '.join(message.splitlines())}", file=sys.stderr, flush=True)
    return code


def _usage(error: click.UsageError) -> str:
    """'there is no option --stpes; did you mean `--steps`? (regard train --help)'"""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        known = [
            name for param in error.ctx.command.get_params(error.ctx) for name in param.opts + param.secondary_opts
        ]
        text = f"there is no option {error.option_name}{suggest(error.option_name, known)}"
    else:
        message = error.format_message()
        text = (message[0].lower() + message[1:]).rstrip(".")
    return text if error.ctx is None else f"{text} ({error.ctx.command_path} --help)"
