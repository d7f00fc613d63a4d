# SPDX-License-Identifier: MIT
"""U48: start-up takes seconds on many-GPU hosts."""
import re
import shutil

from case import TOPOLOGIES, Case, main

GPUS, LINKS, CACHES = 64, 64, 4      # 63 links to the other GPUs, and one to a processor
SLOW_MINOR, SLOW_NS = 140, 20_000_000
SCENARIO = {"open": [{"path": f"renderD{SLOW_MINOR}", "delay_us": SLOW_NS // 1000, "times": 1}]}
# What is read twice: once to see which GPUs there are, once for the snapshot.
TWICE = ("gpu_id", "properties")


class U48(Case):
    def topology(self):
        """The 64 GPUs, with four caches each."""
        tree = self.folder / "topology"
        shutil.copytree(TOPOLOGIES / "gfx942x64", tree)
        for properties in tree.glob("nodes/*/properties"):
            text = properties.read_text()
            caches = properties.parent / "caches"
            if re.search(r"^simd_count 0$", text, re.M):
                continue
            properties.write_text(re.sub(r"(?m)^caches_count \d+$", f"caches_count {CACHES}", text))
            for number in range(len(list(caches.iterdir())), CACHES):
                shutil.copytree(caches / "0", caches / str(number))
        return tree

    def check_files(self, tree, node):
        """What was read is what there is."""
        folder = tree / "nodes" / str(node["topology_node"])
        parts = [p for kind in ("mem_banks", "caches", "io_links")
                 for p in folder.glob(f"{kind}/*/properties")]
        self.assertEqual(len(list(folder.glob("io_links/*/properties"))), LINKS)
        files = [folder / name for name in TWICE] * 2 + parts
        self.assertEqual(node["files"], len(files))
        self.assertEqual(node["files"], 2 * 2 + 1 + CACHES + LINKS)
        self.assertEqual(node["file_bytes"], sum(p.stat().st_size for p in files))
        self.assertEqual(node["failed_reads"], 0)

    def test_both_starts_by_phase_call_and_node(self):
        tree = self.topology()
        recording = self.record("u48", topology=tree, scenario=SCENARIO)
        self.assertRecorded(recording)
        report = self.report("startup", recording)
        self.assertEqual(report["not_recorded"], [])
        first, second = report["startups"]
        for number, startup in enumerate((first, second), 1):
            self.assertEqual((startup["number"], startup["threads"], startup["ended_by"]),
                             (number, 1, "close"))
            phases = {p["name"]: p["total_ns"] for p in startup["phases"]}
            self.assertEqual(sum(phases.values()), startup["duration_ns"])
            gpus = [n for n in startup["nodes"] if "gpu_id" in n]
            self.assertEqual(len(gpus), GPUS)
            self.assertEqual(len(startup["nodes"]), GPUS + 2)
            for node in gpus:
                self.check_files(tree, node)
            self.assertEqual(phases["files"], startup["files"]["total_ns"])
            self.assertGreater(startup["files"]["files"], sum(n["files"] for n in gpus))
            calls = {(c["layer"], c["name"]): c for c in startup["calls"]}
            for name in ("ACQUIRE_VM", "SET_MEMORY_POLICY"):
                self.assertEqual(calls["ioctl", name]["count"], GPUS, (number, name))
                self.assertGreater(calls["ioctl", name]["total_ns"], 0)
            self.assertEqual(calls["ioctl", "GET_PROCESS_APERTURES_NEW"]["count"], 1)
            self.assertEqual(calls["api", "hsaKmtOpenKFD"]["count"], 1)
            self.assertEqual(calls["api", "hsaKmtGetNodeProperties"]["count"], GPUS + 2)
            self.assertEqual([f["name"] for f in startup["firsts"]],
                             ["open", "apertures", "topology"])
        slow, = [n for n in first["nodes"] if n.get("slow_in") == "opening"]
        self.assertEqual(slow["render_minor"], SLOW_MINOR)
        self.assertGreaterEqual(slow["open_ns"], SLOW_NS)
        self.assertNotIn("opening", [n.get("slow_in") for n in second["nodes"]])
        self.assertEqual({n["opens"] for n in first["nodes"] if "gpu_id" in n}, {1})
        # Render nodes stay open as long as the process lives.
        self.assertEqual({n["opens"] for n in second["nodes"]}, {0})
        text = self.text("startup", recording)
        self.assertRegex(text, rf"node {slow['node_id']} \(gpu {slow['gpu_id']}, "
                               rf"renderD{SLOW_MINOR}, .*: SLOW IN OPENING")
        for words in ("start-up 1: ", "start-up 2: ", f"{first['files']['files']} files"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()
