# SPDX-License-Identifier: MIT
"""Arguments for calls of listed functions that nobody serves: values that can be found again."""
import ctypes

from generator.events import FIXED

NUMBERS = {"u8": 8, "u16": 16, "u32": 32, "u64": 64, "i32": 31, "i64": 63, "x8": 8, "x16": 16,
           "x32": 32, "x64": 64, "addr": 64}


def values(function):
    """(machine words to pass, {field of the entry event: value})"""
    words, fields = [], {}
    plain = all(argument.rule.split()[0] in NUMBERS or "*" in argument.ctype
                for argument in function.arguments)
    for index, argument in enumerate(function.arguments):
        rule = argument.rule.split()[0]
        value = 0
        # Structures by value may take any number of words: then all is left 0.
        if plain and rule in NUMBERS and argument.direction != "out":
            value = min(40 + 3 * index, 2 ** NUMBERS[rule] - 1)
            own = argument.name in FIXED + ("result",)    # of the event
            fields[argument.name + "_value" * own] = value
        words.append(value)
    return words, fields


def call(address, words):
    """Calls a function with machine words; those behind the last are 0."""
    padded = [ctypes.c_uint64(word) for word in words + [0] * (24 - len(words))]
    return ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_uint64] * len(padded))(address)(*padded)
