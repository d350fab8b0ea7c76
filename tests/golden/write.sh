#!/bin/sh
# Write what this version makes of the golden texts: sh tests/golden/write.sh 0.9 1.0
# The first is the folder that texts, settings and decisions are copied from, the second is new.
set -eu
cd "$(dirname "$0")"
mkdir "$2" "$2/fingerprints"
cp -R "$1/texts" "$1/texts.list" "$1/recipes.txt" "$1/words.dict" "$1/settings.toml" \
    "$1/decisions.jsonl" "$1/judged.jsonl" "$2"
cd "$2"
all="--config none -q --files-from texts.list"

simdup fit $all -o words.idf
while IFS=: read -r name options; do
    simdup fingerprint $all $options -o "fingerprints/$name.txt"
done < recipes.txt
simdup pairs -q fingerprints/default.txt -d 16 -o pairs.txt

simdup index build seen.index $all
simdup index build passages.index $all --passages
simdup query seen.index $all -d 16 -s 0.3 -f jsonl -o query.jsonl
simdup passages $all --reference passages.index -f csv -o passages.csv

for result in scan.csv scan.jsonl; do
    simdup scan $all --containment 0.1 -s 0.5 -o "$result"
done
simdup scan $all --baseline known.txt --update-baseline > /dev/null
pages="--config none -q texts/en-night.txt texts/en-ward.txt"
simdup conflicts $pages -f jsonl -o conflicts.jsonl
simdup conflicts $pages --baseline known-conflicts.txt --update-baseline > /dev/null
