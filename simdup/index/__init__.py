"""The persistent index: one file.

`opening` creates and opens it; `storage` is a file of SQLite, which it does not trust, with
sections, their checksums and their list, but knows nothing about documents; `sections` defines
documents as columns; `store` reads, adds and removes them; `ingest` makes them of sources;
`row_searches` propose rows by fingerprint and by bands of sketches, `matching` decides which of
them match; `index` is the public class.
"""
