"""All targets by name."""

from lab.fuzz.targets import indexes, lines, packed, records, settings, shown, texts

_ROOMS = (texts, records, packed, lines, settings, shown, indexes)

TARGETS = {one.name: one for room in _ROOMS for one in room.TARGETS}
