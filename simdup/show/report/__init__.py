"""The HTML report: one file that shows what was found, offline and without a server."""
