"""The persistent index: one file.

`opening` creates and opens it; `storage` is a file of SQLite, which it does not trust, with
sections, their checksums and their list, but knows nothing about documents; `sections` defines
documents as columns; `store` reads, adds and removes them.  `session` is an open index: its file,
its recipe, and what is kept between calls; `ingest` makes documents of sources, and an index of
these; `passage_index` has their texts, for the passages that others share with them.
`row_searches` propose rows by fingerprint and by bands of sketches, `matching` decides
which of them match; `references` are indexes beside the documents of a scan; `index` is the public
class.
"""
