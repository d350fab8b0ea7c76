"""The persistent index: one file.

`file` is a file of SQLite, which it does not trust, with blobs and a head that lists them; it knows
nothing about documents.  `segments` are the documents, as columns: they are read, added, removed
and merged there.  `opened` is an open index: its file, its recipe, and what is kept between calls.
`match` joins what is asked with it; `passages` has its texts, for the passages that others share
with them; `references` are indexes beside the documents of a scan; `index` is the public class, and
makes documents of sources.
"""
