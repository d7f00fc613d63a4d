#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Expands a machine description into a tree like /sys/class/kfd/kfd/topology (kfd.md 8).

A description has "system" and "nodes". A node has "count" (that many equal nodes: gpu_id, minor,
location and unique_id are counted up), "gpu_id", "name", "properties", "banks", "caches" and "links".
Links are made from "links" of a node: "cpu" to its CPU node (and back) or between CPU nodes, "gpu" or
"p2p" between all GPU nodes.
"""
import copy
import json
import pathlib
import sys

PROPERTIES = """cpu_cores_count simd_count mem_banks_count caches_count io_links_count
p2p_links_count cpu_core_id_base simd_id_base max_waves_per_simd lds_size_in_kb gds_size_in_kb
num_gws wave_front_size array_count simd_arrays_per_engine cu_per_simd_array simd_per_cu
max_slots_scratch_cu gfx_target_version vendor_id device_id location_id domain drm_render_minor
hive_id num_sdma_engines num_sdma_xgmi_engines num_sdma_queues_per_engine num_cp_queues cwsr_size
ctl_stack_size max_engine_clk_fcompute local_mem_size fw_version capability capability2 debug_prop
sdma_fw_version unique_id num_xcc max_engine_clk_ccompute""".split()
GPU_ONLY = set("""max_engine_clk_fcompute local_mem_size fw_version capability capability2
debug_prop sdma_fw_version unique_id num_xcc""".split())
OPTIONAL = {"cwsr_size", "ctl_stack_size", "capability2"}
LINK = """type version_major version_minor node_from node_to weight min_latency max_latency
min_bandwidth max_bandwidth recommended_transfer_size recommended_sdma_engine_id_mask
flags""".split()
BANK = "heap_type size_in_bytes flags width mem_clk_max".split()
CACHE = """processor_id_low level size cache_line_size cache_lines_per_tag association latency type
sibling_map""".split()


def expand_nodes(description):
    """The nodes one by one, each a copy of its own."""
    nodes = []
    for node in description["nodes"]:
        for number in range(node.get("count", 1)):
            one = copy.deepcopy(node)
            if node.get("count"):
                props = one["properties"]
                one["gpu_id"] += 37 * number
                props["drm_render_minor"] += number
                props["location_id"] += 0x1000 * (number % 15) + 0x100 * (number // 15)
                props["domain"] = props.get("domain", 0) + number // 60
                props["unique_id"] += 0x1111 * number
                props["simd_id_base"] = props.get("simd_id_base", 0) + 16 * number
            nodes.append(one)
    return nodes


def link(kind, node_from, node_to):
    values = {key: 0 for key in LINK}
    values.update(kind)
    values.update(node_from=node_from, node_to=node_to)
    return values


def make_links(nodes):
    """The links of each node, as the driver lists them: to CPUs first."""
    gpus = [i for i, node in enumerate(nodes) if node.get("gpu_id")]
    cpus = [i for i, node in enumerate(nodes) if not node.get("gpu_id")]
    links = {i: [] for i in range(len(nodes))}
    peers = {i: [] for i in range(len(nodes))}
    for cpu in cpus:
        for other in cpus:
            kind = nodes[cpu].get("links", {}).get("cpu")
            if other != cpu and kind:
                links[cpu].append(link(kind, cpu, other))
    for position, gpu in enumerate(gpus):
        kinds = nodes[gpu].get("links", {})
        home = cpus[position * len(cpus) // len(gpus)] if cpus else None
        if home is not None and "cpu" in kinds:
            links[gpu].append(link(kinds["cpu"], gpu, home))
            # a CPU reaches only VRAM that its side of the bus shows in full (kfd.md 8)
            if any(bank["heap_type"] == 1 for bank in nodes[gpu]["banks"]):
                links[home].append(link(kinds["cpu"], home, gpu))
        for other in gpus:
            if other == gpu:
                continue
            if "gpu" in kinds:
                links[gpu].append(link(kinds["gpu"], gpu, other))
            elif "p2p" in kinds:
                peers[gpu].append(link(kinds["p2p"], gpu, other))
    return links, peers


def text(keys, values):
    return "".join(f"{key} {values.get(key, 0)}\n" for key in keys)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="ascii")


def write_list(directory, keys, items):
    directory.mkdir(parents=True, exist_ok=True)
    for number, item in enumerate(items):
        write(directory / str(number) / "properties", text(keys, item))


def write_node(directory, node, links, peers):
    props = dict(node["properties"])
    props.update(mem_banks_count=len(node.get("banks", [])),
                 caches_count=len(node.get("caches", [])),
                 io_links_count=len(links), p2p_links_count=len(peers))
    is_gpu = bool(node.get("gpu_id"))
    keys = [key for key in PROPERTIES
            if (is_gpu or key not in GPU_ONLY) and (key not in OPTIONAL or key in props)]
    unknown = set(props) - set(PROPERTIES)
    if unknown:
        raise SystemExit(f"unknown properties: {', '.join(sorted(unknown))}")
    write(directory / "gpu_id", f"{node.get('gpu_id', 0)}\n")
    write(directory / "name", f"{node.get('name', '')}\n")
    write(directory / "properties", text(keys, props))
    write_list(directory / "mem_banks", BANK, node.get("banks", []))
    caches = [{"processor_id_low": props.get("simd_id_base", 0), **cache}
              for cache in node.get("caches", [])]
    write_list(directory / "caches", CACHE, caches)
    write_list(directory / "io_links", LINK, links)
    write_list(directory / "p2p_links", LINK, peers)


CPU_CACHES = (("1", "Data", "32K"), ("1", "Instruction", "32K"), ("2", "Unified", "512K"),
              ("3", "Unified", "16384K"))


def write_host(root, nodes):
    """What a machine with several CPU nodes shows outside the topology: one CPU of each.

    The preload object puts these files in place of the real machine's, which has fewer nodes.
    """
    cpuinfo = []
    for number, node in enumerate(nodes):
        if node.get("gpu_id"):
            continue
        apic = node["properties"].get("cpu_core_id_base", 0)
        cpuinfo.append(f"processor\t: {number}\nvendor_id\t: AuthenticAMD\n"
                       f"model name\t: Simulated CPU\napicid\t\t: {apic}\n\n")
        cpu = root / f"host/sys/devices/system/node/node{number}/cpu{number}/cache"
        for index, (level, kind, size) in enumerate(CPU_CACHES):
            values = {"level": level, "type": kind, "size": size, "coherency_line_size": "64",
                      "ways_of_associativity": "8", "physical_line_partition": "1",
                      "shared_cpu_list": str(number), "shared_cpu_map": f"{1 << number:x}"}
            for key, value in values.items():
                write(cpu / f"index{index}" / key, value + "\n")
    write(root / "host/proc/cpuinfo", "".join(cpuinfo))


def main(description_path, output):
    description = json.loads(pathlib.Path(description_path).read_text(encoding="utf-8"))
    root = pathlib.Path(output)
    nodes = expand_nodes(description)
    links, peers = make_links(nodes)
    for number, node in enumerate(nodes):
        write_node(root / "nodes" / str(number), node, links[number], peers[number])
    if sum(not node.get("gpu_id") for node in nodes) > 1:
        write_host(root, nodes)
    write(root / "system_properties",
          text("platform_oem platform_id platform_rev".split(), description["system"]))
    # last, since the build takes its presence for the whole tree's
    write(root / "generation_id", f"{description.get('generation', 1)}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: tree.py DESCRIPTION.json DIRECTORY")
    main(sys.argv[1], sys.argv[2])
