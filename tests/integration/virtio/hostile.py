# SPDX-License-Identifier: MIT
"""A guest that keeps to no rule: packets and streams by hand (thunk/virtio/loopback.h)."""
import fcntl
import mmap
import os
import random
import socket
import struct

REQUEST = struct.Struct("<6I3Q2I")
REPLY = struct.Struct("<iIQQ24s")
HELLO, GET_CAPS, INIT, CREATE_BLOB, CLOSE_BLOB, SUBMIT, ATTACH, EXPORT = range(1, 9)
RING_BYTES = 2 * 80 * 4096
SHMEM_BYTES = {1: 25 * 4096, 2: 80 * 4096}
CAPSET, RINGS = 8, 64
COMMANDS, TYPES_MAX = 7, 24
F_ADD_SEALS, F_SEAL_SHRINK, F_SEAL_GROW = 1033, 2, 4


class Gone(Exception):
    """The host has ended the connection."""


def memory_file(size_bytes, seals=F_SEAL_SHRINK | F_SEAL_GROW):
    fd = os.memfd_create("hostile", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size_bytes)
    fcntl.fcntl(fd, F_ADD_SEALS, seals)
    return fd


class Guest:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)
        self.socket.settimeout(20)
        self.ring = self.shmem = None

    def send(self, packet, fds=()):
        try:
            socket.send_fds(self.socket, [packet], list(fds))
        except OSError as error:
            raise Gone from error

    def ask(self, op, fds=(), **fields):
        """@return the result, and a descriptor or None."""
        self.send(REQUEST.pack(op, fields.get("version", 1), fields.get("res_id", 0),
                               fields.get("mem", 0), fields.get("flags", 0), 0,
                               fields.get("blob_id", 0), fields.get("size_bytes", 0),
                               fields.get("offset", 0), fields.get("capset_id", CAPSET),
                               fields.get("rings", RINGS)), fds)
        try:
            data, came, _, _ = socket.recv_fds(self.socket, REPLY.size, 4)
        except (ConnectionError, socket.timeout) as error:
            raise Gone from error
        if len(data) != REPLY.size:
            raise Gone
        return REPLY.unpack(data)[0], came[0] if came else None

    def begin(self, revision=2):
        """As a guest should: ring, context, shared blob."""
        fd = memory_file(RING_BYTES)
        self.ring = mmap.mmap(fd, RING_BYTES)
        results = [self.ask(HELLO, [fd])[0], self.ask(INIT)[0]]
        os.close(fd)
        size = SHMEM_BYTES[revision]
        rc, fd = self.ask(CREATE_BLOB, res_id=255, mem=2, flags=1, size_bytes=size)
        self.shmem = mmap.mmap(fd, size)
        os.close(fd)
        return results + [rc]

    def submit(self, stream):
        self.ring[:len(stream)] = stream
        return self.ask(SUBMIT, size_bytes=len(stream))[0]

    def close(self):
        self.socket.close()


def words(rng, count):
    """Numbers that a host might trip over, more than chance would make."""
    edges = (0, 1, 2, 7, 8, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 4096, 0xFFFFF000, 128, 129, 512)
    return struct.pack(f"<{count}I", *(rng.choice(edges) if rng.random() < 0.6
                                       else rng.getrandbits(32) for _ in range(count)))


def command(rng):
    """One command: framed well more often than not."""
    body = bytearray(words(rng, rng.choice((2, 8, 22, 28, 76, 200))))
    place = {2: 48, 3: 80, 4: 304, 5: 124, 6: 40}
    cmd = rng.randrange(COMMANDS + 1)
    at = place.get(cmd, 0) - 16
    if 0 <= at <= len(body) - 4:
        struct.pack_into("<I", body, at, rng.randrange(TYPES_MAX))
    length = 16 + len(body) if rng.random() < 0.9 else rng.getrandbits(rng.choice((5, 12, 32)))
    return struct.pack("<4I", cmd, length, rng.getrandbits(8), rng.randrange(0, 65536, 8)
                       if rng.random() < 0.9 else rng.getrandbits(32)) + bytes(body)


def scribble(guest, rng):
    """Over the answers' area and its header, as a guest may at any time."""
    for _ in range(64):
        at = rng.randrange(0, len(guest.shmem) - 4, 4)
        guest.shmem[at:at + 4] = rng.choice((struct.pack("<I", 1024), words(rng, 1)))


def other_file(rng):
    kind = rng.randrange(5)
    if kind == 0:
        return os.open("/dev/zero", os.O_RDWR)
    if kind == 1:
        return os.open("/", os.O_RDONLY)
    if kind == 2:
        ends = os.pipe()
        os.close(ends[1])
        return ends[0]
    return memory_file(rng.choice((0, 4096, 1 << 20)), rng.choice((0, F_SEAL_SHRINK)))


def misbehave(path, seed, rounds=200):
    """@return how often the host has ended the connection."""
    rng, ended, guest = random.Random(seed), 0, None
    for _ in range(rounds):
        try:
            if guest is None:
                guest = Guest(path)
                if rng.random() < 0.9:
                    guest.begin(rng.choice((1, 2)))
            one_thing(guest, rng)
        except Gone:
            ended += 1
            guest.close()
            guest = None
    if guest:
        guest.close()
    return ended


def one_thing(guest, rng):
    what = rng.random()
    if guest.ring and what < 0.7:
        scribble(guest, rng)
        guest.submit(b"".join(command(rng) for _ in range(rng.randrange(1, 6)))[:RING_BYTES])
        return
    if what < 0.72:
        guest.send(os.urandom(rng.choice((1, REQUEST.size - 1, REQUEST.size + 1, 4096))))
        guest.ask(GET_CAPS)
        return
    fds = [other_file(rng) for _ in range(rng.choice((0, 1, 1, 3, 8)))]
    try:
        _, came = guest.ask(rng.choice((0, HELLO, GET_CAPS, INIT, CREATE_BLOB, CREATE_BLOB,
                                        CLOSE_BLOB, SUBMIT, ATTACH, EXPORT, 9, 0xFFFFFFFF)), fds,
                            version=rng.choice((0, 1, 2)),
                            **{name: rng.choice((0, 1, 2, 3, 8, 255, 4096, 1 << 31, (1 << 32) - 1))
                               for name in ("res_id", "mem", "flags", "capset_id", "rings")},
                            **{name: rng.choice((0, 1, 8, 4096, 1 << 40, (1 << 64) - 4096,
                                                 (1 << 64) - 1))
                               for name in ("blob_id", "size_bytes", "offset")})
        if came is not None:
            os.close(came)
    finally:
        for fd in fds:
            os.close(fd)
