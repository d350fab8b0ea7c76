"""Write results: as text, CSV, JSONL and a page, and where they go.

`result` has the results that people get, with the methods that show them.  The other files take
what was found as data.
"""
