#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of fuzz_host: a guest's usual life, in the fuzzer's form. make_corpus.py DIR"""
import os
import struct
import sys

NONPAGED, HOST_ACCESS, AQL, FIXED, NO_ADDRESS, ONLY_ADDRESS = (1 << bit
                                                               for bit in (0, 6, 14, 15, 18, 19))
AT = 0xA5 << 56          # fuzz_host.c: an address of the guest, by offset


def command(cmd, body, seqno=1, rsp=0):
    return b"\x05" + struct.pack("<HBHB", len(body), cmd, rsp, seqno & 255) + body


def blob(res, blob_id, pages=4, mem=2, flags=1):
    return b"\x01" + struct.pack("BBBBBB", res, mem, flags, blob_id, pages, 0)


def memory(kind, union, blob_id=0, res=0, payload=b"", revision=2):
    room = 280 if revision == 2 else 48
    return command(4, union.ljust(room, b"\0") + struct.pack("<QII", blob_id, kind, res) + payload)


def query(kind, union=b"", payload=b""):
    return command(2, bytes(32) + struct.pack("<II", kind, 0) + union.ljust(72, b"\0") + payload)


def event(kind, union=b"", blob_id=0, res=0):
    return command(3, union.ljust(64, b"\0") + struct.pack("<IIQII", kind, 0, blob_id, res, 0))


def queue(kind, union=b"", blobs=(0, 0, 0), res=0, ring=0, payload=b""):
    return command(5, union.ljust(80, b"\0") + struct.pack("<QQQIIII", *blobs, res, kind, ring, 0)
                   + payload)


def alloc(node, flags, size, blob_id, revision=2, address=0, align=0):
    return memory(0, struct.pack("<IIQQQ", node, flags, size, address, align), blob_id,
                  revision=revision)


def attributes(kind, address, size, pairs):
    rows = b"".join(struct.pack("<II", *pair) for pair in pairs)
    return memory(kind, struct.pack("<QQI", address, size, len(pairs)), payload=rows)


def seeds():
    yield "queries", b"\0" + b"".join(query(kind, struct.pack("<II", 1, 2)) for kind in range(23))
    yield "queries_1", b"\1" + b"".join(query(kind, struct.pack("<II", 1, 2)) for kind in range(17))
    yield "tiles", b"\0" + query(14, struct.pack("<QQIIIII", 0, 0, 32, 16, 0, 0, 0).ljust(64, b"\0")
                                 + struct.pack("<II", 1, 0))
    life = alloc(0, HOST_ACCESS, 65536, 2) + blob(3, 2, 16)
    life += memory(5, struct.pack("<QQB", AT, 65536, 0))
    life += memory(1, struct.pack("<QQQIIQQ", AT, 65536, 0, 0, 0, 1, 0), 0, 3,
                   struct.pack("<II", 1, 0))
    life += query(13, struct.pack("<Q", AT)) + memory(3, struct.pack("<Q", AT))
    life += memory(9, struct.pack("<QQ", AT, 65536), 0, 3)
    life += memory(14, struct.pack("<QQ", AT, 65536), 0, 3)
    yield "memory", b"\0" + life + memory(2, struct.pack("<QQ", AT, 65536)) + b"\x02\x03"
    yield "memory_1", b"\1" + alloc(1, NONPAGED, 2 << 20, 2, 1) + blob(3, 2) + b"\x02\x03"
    yield "scratch", (b"\0" + alloc(1, 1 << 9 | NONPAGED, 65536, 2) + blob(3, 2, 16, flags=0)
                      + memory(5, struct.pack("<QQB", AT + (1 << 30), 65536, 1), 4))
    yield "events", (b"\0" + event(0, struct.pack("<IIQQBB", 0, 0, 0, 0, 1, 0), 2) + blob(3, 2, 1, 2, 0)
                     + event(2, res=3) + event(3, res=3) + event(4, res=3) + event(1, res=3)
                     + event(5) + event(6, struct.pack("<QQQQI", AT, 4096, 0, 0, 1)))
    rings = alloc(0, HOST_ACCESS, 65536, 2) + blob(3, 2, 16)
    rings += memory(5, struct.pack("<QQB", AT, 65536, 0))
    create = struct.pack("<IIIIQIIQQQQQQ", 1, 21, 100, 0, 0, 0, 0xFFFFFFFF, AT, 32768, 0, 0,
                         AT + 32768, AT + 32776)
    rings += queue(0, create, (5, 0, 6), 3, 3) + blob(7, 5, 1, 2, 0) + blob(8, 6, 2)
    rings += queue(2, struct.pack("<QIIQQQ", 0, 50, 0, 0, AT, 32768), res=7)
    rings += queue(3, res=7) + queue(4, struct.pack("<I", 64), res=7, payload=bytes([255] * 8))
    rings += queue(5, struct.pack("<I", 1), res=7)
    yield "queue", b"\0" + rings + memory(2, struct.pack("<QQ", AT, 65536)) + queue(1, res=7)
    yield "queue_kept", b"\0" + rings + b"\x02\x03" + b"\x02\x03"
    yield "userptr", (b"\0" + b"\x01" + bytes([9, 3, 8, 0, 4, 0]) + memory(8, b"", 0, 9)
                      + memory(7, b"", 0, 9) + b"\x02\x09")
    yield "graphics", b"\0\x04\x05" + command(6, struct.pack("<QQIIII", 0, 1, 5, 0, 0, 0) + bytes(8))
    yield "buffers", (b"\0" + alloc(1, NONPAGED, 65536, 2) + blob(3, 2, 16)
                      + memory(10, struct.pack("<QII", 2, 2, 0), 0, 3)
                      + memory(12, struct.pack("<QQQQQII", 1, 0, 65536, AT, 0, 1, 0))
                      + memory(11, struct.pack("<QII", 1, 1, 0)) + memory(19, b"", 0, 3)
                      + memory(20, bytes(24), 0, 3) + memory(13, struct.pack("<Q", 1)) + b"\x03\x03")
    yield "places", (b"\0" + alloc(1, NONPAGED | NO_ADDRESS, 65536, 2) + blob(3, 2, 16, flags=1)
                     + alloc(0, ONLY_ADDRESS, 65536, 3) + blob(4, 3, 16, flags=0)
                     + alloc(1, NONPAGED | FIXED, 65536, 4, address=AT + (64 << 20)) + blob(5, 4, 16)
                     + alloc(1, NONPAGED | FIXED, 65536, 5, address=AT + (64 << 20))
                     + alloc(0, HOST_ACCESS | AQL, 4096, 6, align=1 << 21) + blob(6, 6, 2)
                     + b"\x02\x03\x02\x04\x02\x05\x02\x06")
    pages = b"\x01" + bytes([9, 3, 8, 0, 4, 0]) + memory(8, b"", 0, 9)
    yield "attributes", (b"\0" + pages + alloc(0, HOST_ACCESS, 65536, 2) + blob(3, 2, 16)
                         + attributes(18, AT, 65536, ((0, 1), (5, 2)))
                         + attributes(17, AT, 65536, ((0, 0), (5, 0), (2, 1)))
                         + memory(16, struct.pack("<IIIIQQ", 1, 0, 1, 0, AT, 65536)))
    yield "streams", (b"\0" + query(20, struct.pack("<I", 1)) + alloc(0, HOST_ACCESS, 4096, 2)
                      + blob(3, 2, 1) + query(22, struct.pack("<IIIIQ", 1, 4096, 1, 3, AT))
                      + query(22, struct.pack("<IIIIQ", 1, 256, 1, 0, 4096))
                      + query(22, struct.pack("<IIIIQ", 1, 0, 0, 0, 0))
                      + query(21, struct.pack("<I", 1)))
    yield "shared", (b"\0" + alloc(1, NONPAGED, 65536, 2) + blob(3, 2, 16)
                     + memory(14, struct.pack("<QQ", AT, 65536), 0, 3)
                     + memory(15, bytes(32) + struct.pack("<Q", 1), 4, 0, struct.pack("<II", 1, 0))
                     + blob(5, 4, 16, flags=0) + memory(7, struct.pack("<Q", AT), 0, 5))
    yield "traps", (b"\0" + alloc(1, NONPAGED, 8192, 2) + blob(3, 2, 2)
                    + event(6, struct.pack("<QQQQI", AT, 4096, AT + 4096, 4096, 1))
                    + event(6, struct.pack("<QQQQI", 0, 0, 0, 0, 1)) + b"\x02\x03")
    yield "raw", b"\0\0" + struct.pack("<H", 32) + struct.pack("<IIII", 1, 16, 1, 0) * 2


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in seeds():
        with open(os.path.join(sys.argv[1], name), "wb") as stream:
            stream.write(data)


if __name__ == "__main__":
    main()
