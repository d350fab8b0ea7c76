"""What measures simdup and tries to break it; the suite runs a small part of each.

It imports simdup, and nothing of the tests.
"""
