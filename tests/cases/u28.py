# SPDX-License-Identifier: MIT
"""U28: only some GPUs are visible in a container."""
import subprocess

from case import Case, main

SCENARIO = {"open": [{"path": "renderD129", "errno": "EPERM"},
                     {"path": "renderD131", "errno": "ENOENT"}]}
HIDDEN = {129: "EPERM", 131: "ENOENT"}


class U28(Case):
    def test_hidden_gpus_are_listed_with_the_reason(self):
        recording = self.record("u28", topology="gfx90ax4", scenario=SCENARIO)
        self.assertRecorded(recording)
        shown = [int(word) for word in recording.stdout.split()]  # minors, by node
        report = self.report("startup", recording)
        hidden = {n["render_minor"]: n for n in report["hidden_nodes"]}
        self.assertEqual({minor: n["errno_name"] for minor, n in hidden.items()}, HIDDEN)
        startup, = report["startups"]
        nodes = {n["render_minor"]: n for n in startup["nodes"] if n.get("gpu_id")}
        self.assertEqual(set(shown), {128, 130})
        self.assertLessEqual(set(shown), set(nodes))
        # Each GPU has a number of the topology, a gpu id and a place of its own.
        for name in ("topology_node", "gpu_id"):
            numbers = [n[name] for n in (*hidden.values(), *(nodes[minor] for minor in shown))]
            self.assertEqual(len(set(numbers)), 4, name)
        self.assertEqual(len({n["location_id"] for n in hidden.values()}), 2)
        # The library says so, too; the text has two numbers by which other tools know each.
        told = [m["text"] for m in report["messages"] if "is hidden" in m["text"]]
        self.assertEqual(len(told), 2, report["messages"])
        text = self.text("startup", recording)
        self.assertIn("GPUS HIDDEN FROM THE PROGRAM", text)
        for minor, node in hidden.items():
            self.assertIn(f"(gpu {node['gpu_id']}, ", text)
            self.assertIn(f"renderD{minor}): {node['errno_name']}; from u28", text)

    def test_the_trace_maps_the_numbers_of_each_gpu(self):
        recording = self.record("u28", topology="gfx90ax4", scenario=SCENARIO)
        lines = subprocess.run(["babeltrace2", recording.path], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        for event, count in (("node", 3), ("hidden_node", 2)):
            found = {line.partition("topology_node = ")[2].partition(",")[0] for line in lines
                     if f"kmt_state:{event}:" in line}
            self.assertEqual(len(found), count, event)
            for name in ("gpu_id", "domain", "location_id", "render_minor"):
                self.assertTrue(all(f" {name} = " in line for line in lines
                                    if f"kmt_state:{event}:" in line), name)


if __name__ == "__main__":
    main()
