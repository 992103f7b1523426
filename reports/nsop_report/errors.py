"""The failures that a user can do something about, with the exit codes of nsop."""

USAGE = 2
BAD_DATA = 4
ENVIRONMENT = 5


class ReportError(Exception):
    """One line for the user, and the exit code it deserves."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
