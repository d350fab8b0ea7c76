"""The persistent index: one file.

`database` is SQLite, on its guard; `storage` keeps sections, compares them with checksums and a
`manifest`, and knows nothing about documents; `columns` knows how documents lie in columns;
`store` reads them, `writer` adds and removes them; `searcher` answers which rows are near a
fingerprint, `judging` which of them match, by sketch, and `matching` asks both; `index` is what
users see.
"""
