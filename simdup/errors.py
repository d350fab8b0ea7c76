"""The one kind of error that a person can act on."""


class SimdupError(Exception):
    """Something went wrong that one line can explain.

    Parameters
    ----------
    where : str
        The file, option or line that is at fault.
    what : str
        What is wrong with it.
    hint : str, optional
        The next step, where there is one.
    """

    def __init__(self, where: str, what: str, hint: str = "") -> None:
        super().__init__(where, what, hint)
        self.where = where
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"
