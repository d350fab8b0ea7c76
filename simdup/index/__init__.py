"""The persistent index: one file.

`file` knows SQLite and nothing of documents; `rows` knows how documents lie in columns; `store`
joins the two: it adds, removes and finds; `searcher` answers which rows are near a fingerprint.
"""
