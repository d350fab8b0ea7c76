"""What a user of another tool writes to find near-duplicates: a script for each tool.

``python NAME.py RECORDS WORKERS SETTING...`` reads JSON lines with ``id`` and ``text`` and prints
one JSON object: ``clusters`` are lists of ids, ``kept`` are the ids that stay.  The code follows
the example in the tool's own documentation, and checks nothing of what it reads.
"""
