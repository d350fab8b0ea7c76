"""All targets by name."""

from lab.fuzz.targets import indexes, lines, records, shown, texts

_ROOMS = (texts, records, lines, shown, indexes)

TARGETS = {one.name: one for room in _ROOMS for one in room.TARGETS}
