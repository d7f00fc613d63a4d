# SPDX-License-Identifier: MIT
"""The generator on small lists: what it makes of them, and what it refuses."""
import os
import tempfile
import unittest

from generator import emit_entries, emit_events, emit_ioctls, emit_layers, emit_layouts
from generator import emit_provider
from generator.events import build
from generator.lists import ListError, snake

TYPES = """
enum HSAKMT_STATUS
    HSAKMT_STATUS_SUCCESS
enum COLOUR
    COLOUR_RED
flags Bits  x32
    ui32.One
    ui32.Colour  COLOUR
mask caps  CAP_
    READ
struct Pair  Pair
    first   u32
    second  x64 as other
"""
API = """
fn hsaKmtGetThing  ctx
    in   HSAuint32    NodeId   node
    in   Bits         Flags    flags Bits
    in   HSAuint64    Count    u64
    in   HSAuint32 *  Nodes    [Count]u32  cap=4
    out  Pair *       Result   *struct Pair
fn hsaKmtStop
"""
IOCTL = """
ioctl DO_THING  kfd_ioctl_do_thing_args
    in   size   u64
    in   flags  mask caps
    out  handle  x64
    -    pad
"""
STATE = """
event kmt_state schema
    pid   i32
"""
HIP_TYPES = """
enum hipError_t
    hipSuccess
"""
HIP = """
fn hipTake  takes=*ptr, size
    out  void **  ptr   *addr
    in   size_t   size  u64
fn hipGive  gives=ptr
    in   void *   ptr   addr
fn hipName  returns=const char *: addr
    in   int      code  i32
fn hipNothing  returns=void  symbol=_Z10hipNothingv
"""
ROCR_TYPES = """
enum hsa_status_t
    HSA_STATUS_SUCCESS
"""
ROCR = """
fn hsa_one  at=core:0
fn hsa_two  at=amd:3  returns=void
    in   int      code  i32
"""
LISTS = (("types", TYPES), ("api", API), ("ioctl", IOCTL), ("state", STATE),
         ("hip/types", HIP_TYPES), ("hip/hip", HIP), ("rocr/types", ROCR_TYPES), ("rocr/rocr", ROCR),
         ("virtio/virtio", ""), ("virtio/state", ""))


class Lists(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        for name in ("hip", "rocr", "virtio"):
            os.mkdir(os.path.join(self.folder.name, name))
        for name, text in LISTS:
            self.put(name, text)

    def tearDown(self):
        self.folder.cleanup()

    def put(self, name, text):
        with open(os.path.join(self.folder.name, f"{name}.def"), "w", encoding="utf-8") as stream:
            stream.write(text)

    def build(self):
        return build(self.folder.name)

    def event(self, full):
        return next(e for e in self.build().events if e.full == full)

    def refused(self, name, text, part):
        self.put(name, text)
        with self.assertRaises(ListError) as caught:
            self.build()
        self.assertIn(part, str(caught.exception))


class WhatIsMade(Lists):
    def test_each_call_has_an_entry_and_an_exit(self):
        self.assertEqual([e.full for e in self.build().events if not e.provider.startswith(("kmt_hip", "kmt_rocr"))], [
            "kmt:hsaKmtGetThing_entry", "kmt:hsaKmtGetThing_exit", "kmt:hsaKmtStop_entry",
            "kmt:hsaKmtStop_exit", "kfd:DO_THING_entry", "kfd:DO_THING_exit", "kmt_state:schema"])

    def test_inputs_are_in_the_entry_and_outputs_in_the_exit(self):
        names = [f.name for f in self.event("kmt:hsaKmtGetThing_entry").shape.fields]
        self.assertEqual(names, [
            "ctx", "call", "NodeId", "NodeId_gpu_id", "Flags", "Flags_One", "Flags_Colour", "Count",
            "Nodes_count", "Nodes_truncated", "Nodes", "bt", "bt_truncated", "bt_id"])
        names = [f.name for f in self.event("kmt:hsaKmtGetThing_exit").shape.fields]
        self.assertEqual(names, ["ctx", "call", "status", "os_errno", "Result_valid",
                                 "Result_first", "Result_other"])

    def test_arrays_are_capped(self):
        nodes = next(f for f in self.event("kmt:hsaKmtGetThing_entry").shape.fields
                     if f.name == "Nodes")
        self.assertEqual((nodes.kind, nodes.cap, nodes.length), ("sequence", 4, "Nodes_len"))

    def test_the_structure_is_as_expected(self):
        text = emit_events.emit(self.build())
        self.assertIn("""struct kfd_DO_THING_exit {
\tuint64_t call;
\tuint64_t api_call;
\tint32_t ret;
\tint32_t os_errno;
\tuint64_t handle;
};
""", text)

    def test_the_entry_is_as_expected(self):
        files = emit_entries.emit(self.build())
        self.assertEqual(list(files), ["entry_0.c"])
        self.assertIn("""HSAKMT_STATUS HSAKMTAPI hsaKmtStop(void)
{
\treturn hsaKmtStop_call(__builtin_return_address(0), kmt_primary());
}
""", files["entry_0.c"])
        self.assertIn("HSAKMT_STATUS HSAKMTAPI hsaKmtGetThingCtx(HsaKFDContext *t_ctx,",
                      files["entry_0.c"])
        self.assertNotIn("hsaKmtStopCtx", files["entry_0.c"])

    def test_pointers_are_followed_under_a_condition_only(self):
        code = self.event("kmt:hsaKmtGetThing_exit").shape.code
        self.assertEqual(code, ["if (t_ok && (Result)) {", "\tt_e.Result_valid = 1;",
                                "\tt_e.Result_first = (uint32_t)((*(Result)).first);",
                                "\tt_e.Result_other = (uint64_t)((*(Result)).second);", "}"])

    def test_flags_are_decoded_from_the_raw_word(self):
        text = emit_provider.emit(self.build())["tp_0.h"]
        self.assertIn("lttng_ust_field_integer_hex(uint32_t, Flags, e->Flags)", text)
        self.assertIn("lttng_ust_field_enum(kmt, COLOUR, int32_t, Flags_Colour, "
                      "flags_Bits(e->Flags).ui32.Colour)", text)

    def test_masks_of_ioctls_too(self):
        text = emit_provider.emit(self.build())["tp_1.h"]
        self.assertIn("lttng_ust_field_integer(uint8_t, flags_READ, !!(e->flags & CAP_READ))", text)

    def test_ioctls_are_found_by_their_number(self):
        self.assertIn("case _IOC_NR(AMDKFD_IOC_DO_THING):", emit_ioctls.emit(self.build()))

    def test_two_layouts_give_two_versions(self):
        self.put("api", "fn hsaKmtGetThing  layouts=pair\n"
                        "    out  Pair *  Result  *struct Pair\n")
        text = emit_layouts.emit(self.build())
        self.assertIn("hsaKmtGetThing@@KFDSCOPE_1", text)
        self.assertIn("hsaKmtGetThing@HSAKMT_1", text)
        self.assertIn("kmt_layout_523_pair(Result, &t_newest)", text)

    def test_the_hash_follows_the_structures(self):
        before = self.build().schema_hash()
        self.assertEqual(before, self.build().schema_hash())
        self.put("state", STATE + "    ppid  i32\n")
        self.assertNotEqual(before, self.build().schema_hash())

    def test_names_of_implementations(self):
        for name, expected in (("hsaKmtExportDMABufHandle", "export_dma_buf_handle"),
                               ("hsaKmtSVMSetAttr", "svm_set_attr"),
                               ("hsaKmtWaitOnEvent_Ext", "wait_on_event_ext"),
                               ("hsaKmtMapMemoryToGPUNodes", "map_memory_to_gpu_nodes"),
                               ("hsaKmtGetXNACKMode", "get_xnack_mode"),
                               ("hsaKmtCreateQueueV2", "create_queue_v2"),
                               ("hsaKmtOpenKFD", "open_kfd")):
            self.assertEqual(snake(name), expected)


class WhatIsRefused(Lists):
    def test_unknown_rules(self):
        self.refused("api", "fn hsaKmtX\n    in  int  a  colour\n", "api.def:2: unknown rule")

    def test_unknown_types(self):
        self.refused("api", "fn hsaKmtX\n    in  int  a  enum SIZE\n", "unknown enum 'SIZE'")
        self.refused("api", "fn hsaKmtX\n    in  int *  a  *struct S\n", "unknown struct 'S'")

    def test_missing_columns(self):
        self.refused("api", "fn hsaKmtX\n    in  int  a\n", "api.def:2")

    def test_a_name_that_is_there_twice(self):
        self.refused("api", "fn hsaKmtX\nfn hsaKmtX\n", "there twice")

    def test_records_above_4_kib(self):
        self.refused("api", "fn hsaKmtX\n    in  int  n  u32\n"
                            "    in  int *  a  [n]u64  cap=600\n", "lower a cap")

    def test_event_names_that_belong_to_other_tracers(self):
        self.refused("state", "event hsa thing\n    pid  i32\n", "another tracer")

    def test_operations_of_an_ioctl_that_has_none(self):
        self.refused("ioctl", IOCTL + "sub DO_THING KFD_DO_THING_ONE\n    in  size  u64\n",
                     "has no operations")


class LayersAbove(Lists):
    def fields(self, name):
        event = next(e for e in self.build().events if e.full == name)
        return [one.name for one in event.shape.fields]

    def test_what_is_taken_and_given_back_has_the_same_names_everywhere(self):
        self.assertEqual(self.fields("kmt_hip:hipTake_exit"),
                         ["call", "status", "ptr_valid", "ptr", "taken_address", "taken_bytes"])
        self.assertEqual(self.fields("kmt_hip:hipGive_entry"),
                         ["call", "ptr", "given_address", "bt", "bt_truncated", "bt_id"])

    def test_a_function_that_returns_no_status_has_a_result_or_nothing(self):
        self.assertEqual(self.fields("kmt_hip:hipName_exit"), ["call", "result"])
        self.assertEqual(self.fields("kmt_hip:hipNothing_exit"), ["call"])

    def test_the_wrapper_calls_the_next_definition_between_its_events(self):
        text = emit_layers.emit(self.build())["hip_0.c"]
        body = text[text.index("LAYER_API hipError_t hipTake"):]
        enter, call, leave = (body.index(part) for part in
                              ("hipTake_enter(", "t_result = t_real(ptr, size)", "hipTake_leave("))
        self.assertLess(enter, call)
        self.assertLess(call, leave)

    def test_a_table_gets_each_wrapper_at_its_place(self):
        text = emit_layers.emit(self.build())["rocr_0.c"]
        self.assertIn("(void **)&hsa_two_real, ROCR_TABLE_AMD, 3 }", text)
        self.put("rocr/rocr", ROCR + "fn hsa_three  at=amd:3\n")
        with self.assertRaises(ListError):
            emit_layers.emit(self.build())

    def test_a_linker_name_stands_in_place_of_the_own_one(self):
        text = emit_layers.emit(self.build())["hip_0.c"]
        self.assertIn('__asm__("_Z10hipNothingv")', text)
        self.assertIn('.name = "_Z10hipNothingv"', text)


if __name__ == "__main__":
    unittest.main()
