#!/bin/sh
# Which homework is too much like another, and of what was found first, why.
#   homework.sh FOLDER
set -eu
simdup=${SIMDUP:-simdup}
folder=$1

$simdup scan "$folder" --distance 6 --similarity 0.6
copies=$($simdup scan "$folder" --distance 6 --similarity 0.6 --quiet --list redundant)
originals=$($simdup scan "$folder" --distance 6 --similarity 0.6 --quiet --list kept)
if [ -n "$copies" ]; then
    $simdup compare --distance 6 --similarity 0.6 \
        "$(printf '%s\n' "$originals" | head -n 1)" "$(printf '%s\n' "$copies" | head -n 1)"
fi
