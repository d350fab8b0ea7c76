"""What simdup does, one verb a file: commands and Python users call the same functions."""
