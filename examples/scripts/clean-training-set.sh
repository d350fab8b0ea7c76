#!/bin/sh
# Clean a training set: the same records without those that say the same again, and a list of why.
#   clean-training-set.sh TRAIN.jsonl[.gz|.zst] CLEAN.jsonl[.gz|.zst] REMOVED.csv
set -eu
simdup=${SIMDUP:-simdup}
train=$1 clean=$2 removed=$3

$simdup dedupe "$train" -o "$clean" --removed "$removed" --keep longest
# A clean set stays as it is: status 1 would mean that something is left.
$simdup scan "$clean" --check --quiet >/dev/null
