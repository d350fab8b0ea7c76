"""Errors, files, processes, progress: what everything else may use."""
