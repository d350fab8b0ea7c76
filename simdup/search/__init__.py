"""All pairs within a distance, and queries; arrays only.

`plans` says which tables find every pair and at what cost, `tables` builds, walks, joins and
compresses them, `allpairs` combines them and has the searches without tables, and `queries` joins a
batch of queries with existing tables. `equal_keys` collapses identical fingerprints, and proposes
candidates by equal band keys. `threads` runs searches at once, and sorts more pairs than fit in
memory. `grouping` joins many rows without checking all their pairs.
"""
