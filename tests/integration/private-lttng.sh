#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command where no session daemon of the machine can be seen: as root in a mount namespace
# with an empty /run/lttng (lttng-ust has that path built in), else with a LTTNG_HOME of its own.
#
#   private-lttng.sh [--no-daemon] COMMAND [ARGUMENT…]
#
# With a daemon (the default) it is started first and stopped afterwards. The exit status is the
# command's; 77, which ctest reads as "skipped", when this machine cannot give a private place.
set -u

inside() {
	daemon=
	if [ "$1" = --no-daemon ]; then
		shift
	else
		lttng-sessiond --no-kernel --background ${LTTNG_SESSIOND_ARGS:-} \
			>"$PRIVATE_LTTNG/sessiond.log" 2>&1 || {
			echo "private-lttng.sh: cannot start lttng-sessiond:" >&2
			cat "$PRIVATE_LTTNG/sessiond.log" >&2
			exit 1
		}
		daemon=$(cat /run/lttng/lttng-sessiond.pid 2>/dev/null ||
			cat "$HOME/.lttng/lttng-sessiond.pid" 2>/dev/null ||
			cat "${LTTNG_HOME:-/nonexistent}/.lttng/lttng-sessiond.pid")
	fi
	"$@"
	status=$?
	[ -n "$daemon" ] && kill "$daemon" 2>/dev/null
	# The daemon removes its shared memory on the way out; wait so that no test sees leftovers.
	while [ -n "$daemon" ] && kill -0 "$daemon" 2>/dev/null; do sleep 0.05; done
	return $status
}

if [ "${PRIVATE_LTTNG:-}" ]; then
	if [ "$(id -u)" = 0 ]; then
		mkdir -p /run/lttng
		mount -t tmpfs none /run/lttng && mount -t tmpfs -o mode=1777 none /dev/shm || exit 77
	fi
	inside "$@"
	exit $?
fi

PRIVATE_LTTNG=$(mktemp -d) || exit 1
export PRIVATE_LTTNG
trap 'rm -rf "$PRIVATE_LTTNG"' EXIT
if [ "$(id -u)" = 0 ]; then
	unshare --mount true 2>/dev/null || exit 77
	unshare --mount "$0" "$@"
else
	LTTNG_HOME=$PRIVATE_LTTNG "$0" "$@"
fi
