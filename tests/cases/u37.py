# SPDX-License-Identifier: MIT
"""U37: a damaged or incomplete trace directory, in eight ways."""
import json
import os
import shutil
import tempfile

from case import KFDSCOPE, Case, main


class U37(Case):
    source = whole = None

    def setUp(self):
        super().setUp()
        if not U37.source: # one recording for all: only copies of it are damaged
            kept = tempfile.mkdtemp(prefix="kfdscope-case-")
            self.addClassCleanup(shutil.rmtree, kept, ignore_errors=True)
            # Sub-buffers of a size that gives each stream several packets, and enough of them.
            recording = self.record("u07", options=("--subbuf-size=512K", "--subbuf-count=16"))
            self.assertRecorded(recording)
            U37.source = shutil.move(recording.path, kept)
            U37.whole = self.report("leaks", U37.source)

    def copy(self, name):
        path = self.folder / name
        shutil.copytree(self.source, path)
        return path

    def streams(self, path):
        """The stream files with events, the largest last."""
        files = [f for f in path.rglob("*") if f.is_file() and f.parent.name != "index"
                 and f.name not in ("metadata", "kfdscope.json") and f.stat().st_size]
        return sorted(files, key=lambda f: f.stat().st_size)

    def read(self, path):
        """Exit status, report (None without one) and messages; never a signal or a stack trace."""
        done = self.run_command(KFDSCOPE, "leaks", "--json", "--top=0", path)
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return (done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr)

    def assertPartial(self, path, stream):
        status, report, messages = self.read(path)
        self.assertEqual(status, 3, messages)
        self.assertIn(stream.name, messages)
        self.assertTrue(any(stream.name in text for text in report["partial_input"]))
        self.assertFalse(report["complete"])
        return report

    def assertUnreadable(self, path, words):
        status, report, messages = self.read(path)
        self.assertEqual(status, 4, messages)
        self.assertIsNone(report)
        self.assertEqual(len(messages.strip().splitlines()), 1, messages)
        self.assertIn(words, messages)

    def test_cut_by_one_byte(self):
        path = self.copy("byte")
        stream = self.streams(path)[-1]
        os.truncate(stream, stream.stat().st_size - 1)
        status, report, messages = self.read(path)
        # The last byte of a packet is padding: all events are there, and that is found out.
        self.assertEqual(report["left"], self.whole["left"])
        self.assertEqual(status == 3, stream.name in messages, messages)

    def test_cut_in_the_middle_of_a_packet(self):
        path = self.copy("middle")
        stream = self.streams(path)[-1]
        os.truncate(stream, stream.stat().st_size // 2 + 1)
        report = self.assertPartial(path, stream)
        self.assertLessEqual(report["recording"]["events"], self.whole["recording"]["events"])
        # What is missing may hold frees: nothing is called a leak that is none.
        self.assertLessEqual(report["left"]["bytes"], self.whole["left"]["bytes"])

    def test_zero_bytes_behind_the_end(self):
        path = self.copy("zeros")
        stream = self.streams(path)[-1]
        with stream.open("ab") as file:
            file.write(bytes(4096))
        report = self.assertPartial(path, stream)
        self.assertEqual(report["recording"]["events"], self.whole["recording"]["events"])

    def test_a_stream_without_content(self):
        path = self.copy("empty-stream")
        stream = self.streams(path)[0]
        os.truncate(stream, 0)
        self.assertPartial(path, stream)

    def test_metadata_without_content(self):
        path = self.copy("empty-metadata")
        os.truncate(next(path.rglob("metadata")), 0)
        self.assertUnreadable(path, "metadata")

    def test_metadata_cut_in_half(self):
        path = self.copy("half-metadata")
        metadata = next(path.rglob("metadata"))
        os.truncate(metadata, metadata.stat().st_size // 2)
        self.assertUnreadable(path, "metadata")

    def test_index_files_removed(self):
        path = self.copy("no-index")
        for index in path.rglob("index"):
            shutil.rmtree(index)
        status, report, messages = self.read(path)
        self.assertEqual(status, 0, messages)
        self.assertEqual(report["left"], self.whole["left"])

    def test_directory_empty(self):
        path = self.folder / "nothing"
        path.mkdir()
        self.assertUnreadable(path, "holds no recording")


if __name__ == "__main__":
    main()
