# SPDX-License-Identifier: MIT
"""A relay daemon that goes in the middle. LTTng's consumer sends later sessions nothing then, so this has
a session daemon of its own."""
import signal

from clients import main
from relays import Live


class Lost(Live):
    def test_a_relay_that_goes_does_not_disturb_the_program(self):
        relay = self.start_relay()
        client = self.record()
        client.tell("alloc 3")
        relay.send_signal(signal.SIGKILL)
        relay.wait()
        self.assertEqual(client.tell("alloc 1"), "alloc 0")
        client.tell("query 10000")
        self.assertEqual(client.finish(), (5, ""))


if __name__ == "__main__":
    main()
