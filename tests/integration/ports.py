# SPDX-License-Identifier: MIT
"""Ports of this machine that are free, for daemons that tests start."""
import socket


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
