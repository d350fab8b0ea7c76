# A check for continuous integration: the build fails where two documents say the same.
#   make -f check.mk DOCS=docs
SIMDUP ?= simdup
DOCS ?= docs

check:
	$(SIMDUP) scan $(DOCS) --check --glob '*.txt' --glob '*.md'

.PHONY: check
