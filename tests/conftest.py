"""Every run of the tests draws the same examples."""

import signal
import sys

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.load_profile("fixed")

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Take pytest's own stream away from absl, which rouge_score imports: it would close it with its handler."""
    if absl := sys.modules.get("absl.logging"):
        absl.get_absl_handler().python_handler.setStream(sys.__stderr__)
