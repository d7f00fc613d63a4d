# SPDX-License-Identifier: MIT
"""U27: no NUMA directory on the host."""
import shutil

from case import TOPOLOGIES, Case, main
from hosts import GPU, Host, processors


class U27(Case):
    def setUp(self):
        super().setUp()
        self.host = Host(self.folder / "host", processors(range(4)))

    def look(self, topology="gfx90a"):
        """@return what the client saw of each node, and the only warning."""
        recording = self.record("u27", topology=topology, env=self.host.env)
        self.assertRecorded(recording)
        startup = self.report("startup", recording)
        (level, text), = [(m["level"], m["text"]) for m in startup["messages"]
                          if m["level"] != "info"]
        self.assertEqual(level, "warning")
        self.assertIn(text, self.text("startup", recording))
        return recording.stdout.splitlines(), text

    def test_the_plain_directory_serves_node_0(self):
        self.host.add_caches("cpu")
        lines, warning = self.look()
        self.assertEqual(lines, ["0 8 2 0 0", "cache 1 32768", "cache 2 1048576", GPU])
        self.assertIn("'/sys/devices/system/node/node0'", warning)

    def test_without_any_there_are_no_caches(self):
        lines, warning = self.look()
        self.assertEqual(lines, ["0 8 0 0 0", GPU])
        self.assertIn("'/sys/devices/system/node/node0'", warning)

    def test_a_second_cpu_node_has_none(self):
        self.host.add_caches("cpu")
        tree = self.folder / "tree"
        shutil.copytree(TOPOLOGIES / "gfx90a", tree)
        shutil.copytree(tree / "nodes/0", tree / "nodes/2")
        shutil.rmtree(tree / "nodes/2/io_links")
        properties = tree / "nodes/2/properties"
        properties.write_text(properties.read_text().replace("io_links_count 1", "io_links_count 0"))
        lines, warning = self.look(tree)
        self.assertEqual(lines, ["0 8 2 0 0", "cache 1 32768", "cache 2 1048576", GPU, "2 8 0 0 0"])
        self.assertIn("'/sys/devices/system/node/node0' (so for 2 CPU nodes)", warning)


if __name__ == "__main__":
    main()
