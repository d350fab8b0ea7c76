"""Fuzzing: made-up inputs for everything that reads what others wrote.

``python -m fuzz`` lists the targets.  Atheris makes the inputs and watches which lines of simdup
they reach; `oracle` says what may happen.
"""
