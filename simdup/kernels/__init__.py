"""Compiled loops over arrays; `lab.oracles` says in plain Python what each returns."""
