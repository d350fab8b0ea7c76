"""The persistent index: one file.

`database` wraps SQLite and does not trust the file; `storage` keeps sections and compares them with
checksums and a `manifest`, but knows nothing about documents; `columns` defines documents as
columns; `store` reads them, `writer` adds and removes them; `searcher` finds the rows near a
fingerprint, `judging` decides by sketch which of them match, and `matching` combines both; `index`
is the public class.
"""
