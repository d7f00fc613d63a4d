# SPDX-License-Identifier: MIT
"""Makes the public symbols, the events and their description from the lists in trace/."""
