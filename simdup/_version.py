"""The version, which the package, its commands and its files name."""

__version__ = "0.9.0.dev0"
