"""All targets by name."""

from fuzz.targets import lines, packed, records, settings, texts

_ROOMS = (texts, records, packed, lines, settings)

TARGETS = {one.name: one for room in _ROOMS for one in room.TARGETS}
