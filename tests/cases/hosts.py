# SPDX-License-Identifier: MIT
"""Processors and NUMA nodes of a made-up host for the simulation, in place of this machine's."""
GPU = "1 0 3 416 40961"    # what the client u27 prints of the GPU of gfx90a


def processors(numbers, vendor="AuthenticAMD", model="EPYC Example", apicid=True):
    """The text of /proc/cpuinfo."""
    lines = []
    for number in numbers:
        lines.append(f"processor\t: {number}")
        if vendor:
            lines.append(f"vendor_id\t: {vendor}")
        if model:
            lines.append(f"model name\t: {model}")
        if apicid:
            lines.append(f"apicid\t\t: {number}")
        lines.append("")
    return "\n".join(lines) + "\n"


class Host:
    def __init__(self, root, cpuinfo):
        self.system = root / "sys/devices/system"
        self.system.mkdir(parents=True)
        (root / "proc").mkdir()
        (root / "proc/cpuinfo").write_text(cpuinfo)
        self.env = {"KFDSCOPE_MODEL_SYSROOT": str(root)}

    def add_caches(self, directory):
        """Of processor 0, below a NUMA node's directory or the plain one."""
        place = self.system / directory
        place.mkdir(parents=True)
        if directory != "cpu":
            (place / "cpulist").write_text("0-3\n")
        for index, (level, kind, size) in enumerate(((1, "Data", "32K"), (2, "Unified", "1M"))):
            cache = place / f"cpu0/cache/index{index}"
            cache.mkdir(parents=True)
            for name, text in (("shared_cpu_list", "0"), ("shared_cpu_map", "1"),
                               ("level", level), ("type", kind), ("size", size),
                               ("coherency_line_size", 64), ("ways_of_associativity", 8),
                               ("physical_line_partition", 1)):
                (cache / name).write_text(f"{text}\n")
