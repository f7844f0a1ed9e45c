"""The exit codes of `arena`, one meaning each. Every command uses these and no others."""

OK = 0  # ended by its own rule: COMPLETED, ELO_STABLE, CONFIDENT, IDLE with nothing left to do
ERROR = 1  # an error; also a judge that gives nothing usable, and a failed `verify`
USAGE = 2  # bad usage or a bad file; nothing was written
LIMIT = 3  # stopped by a limit (BUDGET, WALL_CLOCK); resumable
LOCKED = 4  # the run is driven by another process
SIGHUP = 129  # hung up; resumable
EXTERNAL = 130  # stopped by the user: ctrl+c, abort, pause and quit; resumable
SIGTERM = 143  # terminated; resumable
