#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROGRAM SECONDS: fuzzes from seeds that are made anew, so that a run leaves the tree alone.
# FUZZ_KEEP names a directory that keeps what a long run has found for the next one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=$(realpath -m "${FUZZ_KEEP:-$work/corpus}")
python3 -B "$(dirname "$0")/make_corpus.py" "$corpus"
cd "$work"
# The leak check takes the thread-local block of a library that was opened late for one of an old
# libc when it lies 16 bytes into a page, and dies of what it then reads. Nothing here is kept alive
# by a thread-local variable alone.
export LSAN_OPTIONS="${LSAN_OPTIONS:+$LSAN_OPTIONS:}use_tls=0"
"$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=4096 -max_len=8192 -detect_leaks=1 \
	-artifact_prefix="$work/" -print_final_stats=1 "$corpus" || {
	status=$?
	for found in "$work"/crash-* "$work"/leak-* "$work"/timeout-* "$work"/oom-*; do
		[ -e "$found" ] && echo "input: $(base64 -w0 "$found")"
	done
	exit $status
}
