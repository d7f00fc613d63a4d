# SPDX-License-Identifier: MIT
"""How the provider gets into a program, and what happens when it cannot (user-cases.md U41, 42)."""
import os
import shutil
import subprocess
import tempfile
import unittest

from session import LIB, PROVIDER, Session, named, program


class Loading(unittest.TestCase):
    def calls(self, **environment):
        with Session() as session:
            done = session.run([program("calls")], **environment)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            return session.status(), named(session.events(), "kmt:hsaKmtOpenKFD_exit")

    def test_the_library_loads_it_by_path(self):
        status, opens = self.calls()
        self.assertIn("provider=attached", status)
        self.assertEqual(len(opens), 1)

    def test_the_library_finds_it_beside_itself(self):
        status, opens = self.calls(KFDSCOPE_PROVIDER="1")
        self.assertIn("provider=attached", status)
        self.assertEqual(len(opens), 1)

    def test_it_may_be_preloaded(self):
        status, opens = self.calls(KFDSCOPE_PROVIDER=None, LD_PRELOAD=PROVIDER)
        self.assertIn("provider=attached", status)
        self.assertEqual(len(opens), 1)

    def test_twice_is_once(self):
        with tempfile.TemporaryDirectory() as folder:
            other = shutil.copy(PROVIDER, folder)
            _, opens = self.calls(KFDSCOPE_PROVIDER=other, LD_PRELOAD=PROVIDER)
        self.assertEqual(len(opens), 1)

    def test_none_is_fine(self):
        status, opens = self.calls(KFDSCOPE_PROVIDER=None)
        self.assertIn("provider=absent", status)
        self.assertEqual(opens, [])

    def test_a_missing_one_is_said_in_the_status_only(self):
        status, opens = self.calls(KFDSCOPE_PROVIDER="/nonexistent/provider.so")
        self.assertRegex(status, r"pid=\d+ provider=unloadable reason=.*nonexistent")
        self.assertEqual(opens, [])

    def test_one_of_another_version_is_not_used(self):
        status, opens = self.calls(KFDSCOPE_PROVIDER=os.path.join(LIB, "libtraced_mismatch.so"))
        self.assertIn("provider=mismatch", status)
        self.assertEqual(opens, [])
        status, _ = self.calls(KFDSCOPE_PROVIDER=None,
                               LD_PRELOAD=os.path.join(LIB, "libtraced_mismatch.so"))
        self.assertIn("provider=mismatch", status)

    def test_a_library_that_is_no_provider_is_not_used(self):
        status, _ = self.calls(KFDSCOPE_PROVIDER="libm.so.6")
        self.assertIn("provider=mismatch", status)

    def test_a_home_that_cannot_be_written_changes_nothing(self):
        status, _ = self.calls(HOME="/nonexistent")
        self.assertIn("provider=attached", status)

    def test_a_small_limit_of_locked_memory_is_in_the_schema(self):
        with Session() as session:
            done = session.run(["sh", "-c", f"ulimit -l 64; exec {program('calls')}"])
            self.assertEqual(done.returncode, 0)
            schema = named(session.events(), "kmt_state:schema")[0]
        self.assertEqual(schema["memlock_bytes"], 64 << 10)

    def test_a_library_opened_with_local_visibility_is_recorded(self):
        with Session() as session:
            done = session.run([program("opener")])
            self.assertEqual(done.returncode, 0, done.stderr)
            events = session.events()
        self.assertEqual(len(named(events, "kmt:hsaKmtGetVersion_exit")), 2)


class Dependencies(unittest.TestCase):
    def needed(self, path):
        text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True,
                              check=True).stdout
        return [line.split("[")[1].rstrip("]") for line in text.splitlines() if "NEEDED" in line]

    def test_the_library_needs_neither_lttng_nor_libunwind(self):
        for name in self.needed(os.environ["LIBHSAKMT"]):
            self.assertNotRegex(name, "lttng|unwind")

    def test_the_provider_brings_no_unwinder_into_the_program(self):
        self.assertNotIn("unwind", " ".join(self.needed(PROVIDER)))
        self.assertIn("lttng-ust", " ".join(self.needed(PROVIDER)))


if __name__ == "__main__":
    unittest.main()
