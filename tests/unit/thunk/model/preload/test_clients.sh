#!/bin/sh
# SPDX-License-Identifier: MIT
# The distribution's own rocminfo and libhsakmt on the simulated driver.
# usage: test_clients.sh libkfdscope-model-preload.so
preload=$1
command -v rocminfo > /dev/null || { echo "rocminfo is not installed"; exit 77; }
failed=0

# expect NAME TOPOLOGY TEXT...: rocminfo exits 0 and its output has each text
expect() {
	name=$1 topology=$2
	shift 2
	if ! output=$(LD_PRELOAD=$preload KFDSCOPE_MODEL_TOPOLOGY=$topology rocminfo 2>&1); then
		echo "FAIL $name: rocminfo failed: $(echo "$output" | tail -3)"
		failed=1
		return
	fi
	for text; do
		echo "$output" | grep -q -e "$text" && continue
		echo "FAIL $name: no '$text' in the output"
		failed=1
	done
	echo "ran $name"
}

expect "the default machine" "" "ROCk module is loaded" "amdgcn-amd-amdhsa--gfx90a" \
	"Compute Unit: *104" "Size: *67092480(0x3ffc000) KB" "\*\*\* Done \*\*\*"
expect "four dies" gfx90ax4 "Agent 5" "amdgcn-amd-amdhsa--gfx90a"
expect "a small card" gfx1030 "amdgcn-amd-amdhsa--gfx1030"
expect "a card before gfx9" gfx803 "amdgcn-amd-amdhsa--gfx803"
expect "an APU" apu "amdgcn-amd-amdhsa--gfx902"
expect "two CPU nodes that the host does not have" gfx942x8 "Agent 2" "Simulated CPU"

# a machine that cannot be made is an absent one, and each process says why in one line
output=$(LD_PRELOAD=$preload KFDSCOPE_MODEL_TOPOLOGY=no-such-tree rocminfo 2>&1)
if [ $? -eq 0 ] || ! echo "$output" | grep -q "^kfdscope-model: no topology 'no-such-tree': No such file"; then
	echo "FAIL a missing topology: $output"
	failed=1
fi
# the machine's own tree may be the topology; where there is none, that is said, too
[ -e /sys/class/kfd/kfd/topology ] || {
	output=$(LD_PRELOAD=$preload KFDSCOPE_MODEL_TOPOLOGY=/sys/class/kfd/kfd/topology rocminfo 2>&1)
	if [ $? -eq 0 ] || ! echo "$output" | grep -q "^kfdscope-model: no topology in "; then
		echo "FAIL the real machine's topology: $output"
		failed=1
	fi
}
exit $failed
