"""Print the new documents of a feed, and add them to an index.

    producer | python feed.py INDEX

Standard input holds JSON lines with `id` and `text`.
"""

import json
import os
import sys

from simdup import Index, Recipe


def open_index(path: str) -> Index:
    """Open the index; build an empty one the first time."""
    if os.path.exists(path):
        return Index.open(path)
    # A feed has no corpus to learn word frequencies from, so use the built-in ones.
    return Index.build(path, recipe=Recipe(idf="builtin"))


if __name__ == "__main__":
    with open_index(sys.argv[1]) as index:
        records = map(json.loads, sys.stdin)
        # `add=True` also compares a document with earlier ones of the same feed.
        for result in index.query(((one["id"], one["text"]) for one in records), add=True):
            if result.new:
                print(result.document)
