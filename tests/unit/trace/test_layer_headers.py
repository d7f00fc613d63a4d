# SPDX-License-Identifier: MIT
"""Our own declarations of HIP and HSA against those libraries' headers, where they are installed.

usage: test_layer_headers.py CC CXX LISTS GENERATED (LISTS: trace/, GENERATED: its generated files)
"""
import os
import subprocess
import sys
import tempfile
import unittest

from generator.events import LAYERS
from generator.lists import read_types

CC, CXX, LISTS, GENERATED = sys.argv[1:5]
HEADERS = {
    "hip": "#define __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime_api.h>\n",
    "rocr": "#include <stdbool.h>\n#include <hsa/hsa.h>\n#include <hsa/hsa_ext_amd.h>\n",
}


def compile_text(text, *options, compiler=CC, suffix=".c"):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as source:
        source.write(text)
        source.flush()
        return subprocess.run([compiler, "-w", "-I", LISTS, "-I", GENERATED, *options,
                               source.name], capture_output=True, text=True, check=False)


def has(header):
    return compile_text(header, "-fsyntax-only").returncode == 0


class Declarations(unittest.TestCase):
    def facts(self, header, types):
        """What a program that includes the header sees of the types."""
        lines = []
        for name, (_, constants) in types.enums.items():
            lines += [f'printf("{c} %lld\\n", (long long){c});' for c in constants]
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for _, (ctype, members) in types.structs.items():
            lines.append(f'printf("{ctype} %zu\\n", sizeof({ctype}));')
            lines += [f'printf("{ctype}.{m[0]} %zu %zu\\n", offsetof({ctype}, {m[0]}), '
                      f"sizeof((({ctype} *)0)->{m[0]}));" for m in members]
        text = header + "#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n" + \
            "\n".join(lines) + "\nreturn 0;\n}\n"
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "facts")
            done = compile_text(text, "-o", program)
            self.assertEqual(done.returncode, 0, done.stderr)
            return subprocess.run([program], capture_output=True, text=True,
                                  check=True).stdout.splitlines()

    def compare(self, name):
        layer = next(one for one in LAYERS if one.name == name)
        types = read_types(f"{LISTS}/{layer.folder}/types.def")
        self.assertGreater(len(types.enums[layer.status][1]), 20)
        self.assertEqual(self.facts(f'#include "{layer.types}"\n', types),
                         self.facts(HEADERS[name], types))

    def prototypes(self, name, more=""):
        done = compile_text(HEADERS[name] + more + f'#include "{name}_prototypes.h"\n',
                            "-fsyntax-only")
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(has(HEADERS["hip"]), "HIP's headers are not installed")
    def test_hips_types_are_as_its_headers_have_them(self):
        self.compare("hip")

    @unittest.skipUnless(has(HEADERS["hip"]), "HIP's headers are not installed")
    def test_hips_functions_are_as_its_headers_have_them(self):
        self.prototypes("hip")

    @unittest.skipUnless(has(HEADERS["hip"]), "HIP's headers are not installed")
    def test_a_wrong_prototype_is_noticed(self):
        done = compile_text(HEADERS["hip"] + "hipError_t hipMalloc(void *ptr, size_t size);\n",
                            "-fsyntax-only")
        self.assertNotEqual(done.returncode, 0)

    @unittest.skipUnless(has(HEADERS["rocr"]), "the HSA runtime's headers are not installed")
    def test_hsas_types_are_as_its_headers_have_them(self):
        self.compare("rocr")

    @unittest.skipUnless(has(HEADERS["rocr"]), "the HSA runtime's headers are not installed")
    def test_hsas_functions_are_as_its_headers_have_them(self):
        self.prototypes("rocr", '#include "rocr/rocr_callbacks.h"\n')

    @unittest.skipUnless(has(HEADERS["rocr"]), "the HSA runtime's headers are not installed")
    def test_hsas_functions_have_the_places_that_its_tables_give_them(self):
        text = ("#include <cstddef>\n#include <hsa/hsa_api_trace.h>\n"
                "#define core CoreApiTable\n#define amd AmdExtTable\n"
                "#define PLACE(name, table, slot) static_assert(offsetof(table, name##_fn) == "
                "sizeof(ApiTableVersion) + (slot) * sizeof(void *), #name);\n"
                '#include "rocr_places.h"\n'
                "static_assert(HSA_API_TABLE_MAJOR_VERSION == 1, \"the known version\");\n"
                "static_assert(HSA_CORE_API_TABLE_MAJOR_VERSION == 1, \"the known version\");\n"
                "static_assert(HSA_AMD_EXT_API_TABLE_MAJOR_VERSION == 1, \"the known version\");\n"
                "static_assert(offsetof(HsaApiTable, core_) == 16, \"core first\");\n"
                "static_assert(offsetof(HsaApiTable, amd_ext_) == 24, \"then AMD's\");\n")
        done = compile_text(text, "-fsyntax-only", "-DAMD_INTERNAL_BUILD", "-I/usr/include/hsa",
                            compiler=CXX, suffix=".cpp")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
