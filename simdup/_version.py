"""The version, which the package, its commands and its files name."""

__version__ = "1.0.0"
