#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROGRAM CORPUS SECONDS: fuzzes a copy of the corpus, so that a run leaves the tree alone.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$2" "$work/corpus"
cd "$work"
"$1" -max_total_time="$3" -timeout=10 -rss_limit_mb=4096 -max_len=8192 -detect_leaks=1 \
	-artifact_prefix="$work/" -print_final_stats=1 "$work/corpus" || {
	status=$?
	for found in "$work"/crash-* "$work"/leak-* "$work"/timeout-* "$work"/oom-*; do
		[ -e "$found" ] && echo "input: $(base64 -w0 "$found")"
	done
	exit $status
}
