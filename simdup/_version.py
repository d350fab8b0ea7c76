"""The version, which the package, its commands and its files name."""

__version__ = "0.1.0"
