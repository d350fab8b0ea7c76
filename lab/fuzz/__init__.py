"""Fuzzing: made-up inputs for everything that reads what others wrote.

Atheris makes the inputs and watches which lines of simdup they reach; `oracle` says what may
happen.
"""
