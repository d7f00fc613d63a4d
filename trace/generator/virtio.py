# SPDX-License-Identifier: MIT
"""The events of the guest's library, whose list leans on that of the library itself."""
from .lists import Argument, ListError, read_functions

PROVIDER = "vkmt"


def without_faults(argument):
    """What a wait finds out, only the host can see."""
    return Argument(argument.where, argument.direction, argument.ctype, argument.name,
                    argument.rule.replace("+fault", ""), argument.options)


def read(path, functions):
    """The functions of the list at path; those without lines take the arguments of their originals."""
    originals = {function.name: function for function in functions}
    guest = read_functions(path)
    for function in guest:
        if function.has("int") or function.arguments:
            continue
        original = originals.get(function.name[1:])
        if not original:
            raise ListError(f"{function.where}: there is no {function.name[1:]} to take after")
        function.arguments = [without_faults(a) for a in original.arguments]
        function.valid = original.valid
    return guest
