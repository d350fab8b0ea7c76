"""The persistent index: one file.

`database` wraps SQLite and does not trust the file; `storage` keeps sections, their checksums and
their list, but knows nothing about documents; `sections` defines documents as columns; `store`
reads them, `writer` adds and removes them; `row_searches` propose rows by fingerprint and by bands
of sketches, `matching` decides which of them match; `index` is the public class.
"""
