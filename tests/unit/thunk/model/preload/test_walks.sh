#!/bin/sh
# SPDX-License-Identifier: MIT
# Ordinary tools walk through the simulated sysfs as they do through a real one.
# usage: LD_PRELOAD=…/libkfdscope-model-preload.so KFDSCOPE_MODEL_TOPOLOGY=gfx90ax4 test_walks.sh
root=/sys/class/kfd/kfd topology=/sys/class/kfd/kfd/topology
failed=0

# expect WHAT WANTED GOT
expect() {
	[ "$2" = "$3" ] && { echo "ran $1"; return; }
	printf 'FAIL %s:\n--- wanted\n%s\n--- got\n%s\n' "$1" "$2" "$3"
	failed=1
}

# has WHAT TEXT LINE...: each line is one of the text's
has() {
	what=$1 text=$2
	shift 2
	for line; do
		printf '%s\n' "$text" | grep -q -x -F -e "$line" && continue
		printf 'FAIL %s: no line "%s" in\n%s\n' "$what" "$line" "$text"
		failed=1
		return
	done
	echo "ran $what"
}

expect "find stops at the link of the class, as in sysfs" "/sys/class/kfd
/sys/class/kfd/kfd" "$(find /sys/class/kfd 2>&1)"
has "find walks from the device" "$(find $root/ -name gpu_id 2>&1 | sort)" \
	"$root/topology/nodes/0/gpu_id" "$root/topology/nodes/4/gpu_id"
has "find tells types" "$(find $root/ -maxdepth 1 -printf '%P %y %l\n' 2>&1)" \
	"dev f " "topology d " "subsystem l ../../../../class/kfd"
expect "find follows links where it is told to" 5 \
	"$(find -L /sys/class/kfd/kfd/topology -path '*/topology/nodes/*/gpu_id' 2> /dev/null | wc -l)"
expect "find counts the same by both names" "$(find /sys/devices/virtual/kfd/kfd/topology | wc -l)" \
	"$(find $topology | wc -l)"
has "ls -R shows the tree" "$(ls -R $root/ 2>&1)" \
	"$root/topology:" "system_properties" "$root/topology/nodes/1/io_links/0:"
has "ls -l shows links and devices" \
	"$(ls -l /sys/class/drm /dev/dri 2>&1 | sed 's/.* 1970 //')" \
	"card0 -> ../../devices/pci0000:00/0000:c3:00.0/drm/card0" "renderD131"
expect "globs" "$topology/nodes/0/gpu_id $topology/nodes/1/gpu_id $topology/nodes/2/gpu_id \
$topology/nodes/3/gpu_id $topology/nodes/4/gpu_id" "$(echo $topology/nodes/*/gpu_id)"
expect "cd and relative names" "0 $topology $root" \
	"$(cd $topology/nodes && cat 0/gpu_id | tr '\n' ' '; cd .. && printf %s "$(pwd)"; cd .. && echo " $(pwd)")"
expect "the physical directory" /sys/devices/virtual/kfd/kfd/topology/nodes/1 \
	"$(cd $topology/nodes/1 && pwd -P)"
expect "programs started there" "$(cat $topology/generation_id)" \
	"$(cd $topology/nodes/2 && sh -c 'cat ../../generation_id')"
expect "the way out" "$(cat /proc/sys/kernel/ostype)" \
	"$(cd $topology && cat ../../../../../../proc/sys/kernel/ostype)"
expect "copies are exact" "$(cat $root/uevent | od -c)" \
	"$(copy=$(mktemp) && cp $root/uevent "$copy" && od -c "$copy" && rm "$copy")"
expect "test and [" yes "$([ -d $root ] && [ -L $root ] && [ -r $root/dev ] && [ ! -w $root/dev/ ] &&
	[ -c /dev/kfd ] && [ -c /dev/dri/card0 ] && [ ! -e $root/none ] && echo yes)"
expect "grep -r" "$topology/nodes/0/gpu_id:0" "$(grep -r -x 0 $topology/nodes/0/gpu_id -H)"
has "grep -r in a directory" "$(cd $topology && grep -r simd_count nodes/1 2>&1)" \
	"$(cd $topology && echo "nodes/1/properties:$(grep simd_count nodes/1/properties)")"

command -v lspci > /dev/null &&
	expect "lspci shows the GPUs among the devices" 4 "$(lspci -n -D 2>&1 | grep -c ' 0380: 1002:')"

# 77: there is no libudev
if command -v python3 > /dev/null; then
	python3 - << 'END'
import ctypes
import sys

try:
    udev = ctypes.CDLL("libudev.so.1")
except OSError:
    sys.exit(77)
pointer, text = ctypes.c_void_p, ctypes.c_char_p
for name, result in (("new", pointer), ("enumerate_new", pointer), ("list_entry_get_next", pointer),
                     ("enumerate_get_list_entry", pointer), ("list_entry_get_name", text),
                     ("device_new_from_syspath", pointer), ("device_get_devnode", text),
                     ("device_get_subsystem", text), ("device_get_sysattr_value", text),
                     ("device_get_parent", pointer)):
    getattr(udev, "udev_" + name).restype = result
context = pointer(udev.udev_new())
devices = pointer(udev.udev_enumerate_new(context))
udev.udev_enumerate_add_match_subsystem(devices, b"drm")
udev.udev_enumerate_scan_devices(devices)
entry = udev.udev_enumerate_get_list_entry(devices)
nodes = set()
while entry:
    path = udev.udev_list_entry_get_name(pointer(entry))
    device = pointer(udev.udev_device_new_from_syspath(context, path))
    assert udev.udev_device_get_subsystem(device) == b"drm", path
    gpu = pointer(udev.udev_device_get_parent(device))
    assert udev.udev_device_get_sysattr_value(gpu, b"vendor") == b"0x1002", path
    nodes.add(udev.udev_device_get_devnode(device).decode())
    entry = udev.udev_list_entry_get_next(pointer(entry))
assert nodes == {f"/dev/dri/card{n}" for n in range(4)} | {f"/dev/dri/renderD{128 + n}" for n in range(4)}
kfd = udev.udev_device_new_from_syspath(context, b"/sys/class/kfd/kfd")
assert udev.udev_device_get_devnode(pointer(kfd)) == b"/dev/kfd"
print("ran libudev")
END
	result=$?
	[ $result -eq 0 ] || [ $result -eq 77 ] || failed=1
fi

# what stands for an open directory is there for a moment only, ours and that of others
for left in /dev/shm/.kfdscope-dir.* /tmp/.kfdscope-dir.*; do
	tries=0
	while { [ -e "$left" ] || [ -L "$left" ]; } && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	[ ! -e "$left" ] && [ ! -L "$left" ] || expect "nothing is left behind" "" "$left"
done

command -v python3 > /dev/null && python3 - << 'END' || failed=1
import glob
import os
import pathlib

# beside it processes come and go
root = "/sys/devices/virtual/kfd/kfd/topology"
by_walk = {os.path.join(top, name) for top, _, files in os.walk(root) for name in files}
by_descriptor = {os.path.join(top, name) for top, _, files, _ in os.fwalk(root) for name in files}
by_glob = {name for name in glob.glob(root + "/**", recursive=True)
           if os.path.isfile(name) and not os.path.islink(name)}
by_path = {str(path) for path in pathlib.Path(root).rglob("*") if path.is_file()}
wanted = {f"{root}/nodes/{node}/gpu_id" for node in range(5)}
for name, found in (("walk", by_walk), ("fwalk", by_descriptor), ("path", by_path), ("glob", by_glob)):
    assert wanted <= found, (name, wanted - found)
    assert found - by_walk == set() or name == "glob", (name, found - by_walk)
assert [entry[1] for entry in os.walk("/sys/class/kfd")] == [["kfd"]]
assert os.path.realpath("/sys/class/drm/card1/device") == "/sys/devices/pci0000:00/0000:d3:00.0"
os.chdir("/sys/class/kfd/kfd/topology")
assert os.getcwd() == "/sys/devices/virtual/kfd/kfd/topology", os.getcwd()
assert sorted(glob.glob("nodes/*")) == [f"nodes/{node}" for node in range(5)]
directory = os.open("nodes", os.O_RDONLY | os.O_DIRECTORY)
assert sorted(os.listdir(directory)) == list("01234")
assert os.stat("1/properties", dir_fd=directory).st_size > 0
assert os.readlink(f"/proc/self/fd/{directory}").endswith("/topology/nodes")
os.fchdir(directory)
assert int(open("0/gpu_id").read()) == 0
print("ran python")
END
exit $failed
