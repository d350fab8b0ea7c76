#!/bin/sh
# What is new in a release of a manual: pages without a near-duplicate in the release before. Pages
# of one template are alike in form; the cosine of their words tells them apart by their matter.
#   new-pages-of-a-manual.sh OLD NEW
set -eu
simdup=${SIMDUP:-simdup}
old=$1 new=$2

$simdup scan "$new" --reference "$old" --method minhash --cosine 0.9 --list unique --quiet
