#!/bin/sh
# Of a feed of JSON lines on standard input, print the names of those that are new, as they come;
# what is new is remembered in INDEX.
#   producer | feed.sh INDEX
set -eu
simdup=${SIMDUP:-simdup}
index=$1

[ -e "$index" ] || $simdup index build "$index" --recipe default,idf=builtin --quiet
$simdup query "$index" - --input-format jsonl --id-field id --new --add --quiet
