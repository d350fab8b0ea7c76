#!/bin/sh
# What is new in a release of a manual: pages without a near-duplicate in the release before.
#   new-pages-of-a-manual.sh OLD NEW
set -eu
simdup=${SIMDUP:-simdup}
old=$1 new=$2

$simdup scan "$new" --reference "$old" --list unique --quiet
