#!/bin/sh
# Find reposted news: files in GBK, UTF-8 or Big5 are read as what they are. Of each cluster the
# oldest file is taken for the original; the list has a row a document.
#   reposted-news.sh FOLDER FOUND.csv
set -eu
simdup=${SIMDUP:-simdup}
folder=$1 found=$2

$simdup scan "$folder" --keep oldest --similarity 0.7 -o "$found"
