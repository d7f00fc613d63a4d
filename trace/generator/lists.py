# SPDX-License-Identifier: MIT
"""Reads the lists: api.def, ioctl.def, types.def, state.def, and those of the layers above.

A list is made of groups: a head line at the left margin and indented lines below it. Columns are
separated by two or more blanks, "#" starts a comment line.
"""
import re
from dataclasses import dataclass, field


class ListError(Exception):
    """Something wrong in a list; the text names the file and the line."""


@dataclass
class Line:
    where: str
    columns: list


@dataclass
class Group:
    where: str
    kind: str
    name: str
    words: list
    lines: list = field(default_factory=list)

    def word(self, key):
        """The value of a word KEY=VALUE, or None."""
        for word in self.words:
            if word.startswith(key + "="):
                return word[len(key) + 1:]
        return None


@dataclass
class Argument:
    where: str
    direction: str
    ctype: str
    name: str
    rule: str
    options: dict


@dataclass
class Function:
    where: str
    name: str
    words: list
    arguments: list
    layouts: str
    valid: list

    def has(self, word):
        return word in self.words

    def word(self, key):
        """The value of a word KEY=VALUE, or None."""
        return next((w[len(key) + 1:] for w in self.words if w.startswith(key + "=")), None)


@dataclass
class Ioctl:
    where: str
    name: str
    constant: str
    structure: str
    by: str
    parent: str
    arguments: list


@dataclass
class Types:
    enums: dict      # name: (storage, [constants])
    flags: dict      # name: (storage, [(path, enum or None)])
    masks: dict      # name: (prefix, [names])
    structs: dict    # name: (C type, [(member, rule, options, field name)])


def columns(text):
    return re.split(r"\s{2,}|\t+", text.strip())


def read_groups(path):
    groups = []
    with open(path, encoding="utf-8") as stream:
        for number, text in enumerate(stream, 1):
            where = f"{path}:{number}"
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            if not text[0].isspace():
                head = columns(text)
                kind, _, name = head[0].partition(" ")
                if not name:
                    raise ListError(f"{where}: a group without a name")
                groups.append(Group(where, kind, name, head[1:]))
            elif not groups:
                raise ListError(f"{where}: a line before the first group")
            else:
                groups[-1].lines.append(Line(where, columns(text)))
    return groups


def split_options(where, cells):
    """Rule cells to (rule, options): cap=N and inline may stand in cells of their own or inside."""
    rule, options = [], {}
    for word in " ".join(cells).split():
        if word.startswith("cap="):
            options["cap"] = int(word[4:])
        elif word == "inline":
            options["inline"] = True
        else:
            rule.append(word)
    if not rule:
        raise ListError(f"{where}: no rule")
    return " ".join(rule), options


def unique(groups):
    seen = {}
    for group in groups:
        key = (group.kind, group.name)
        if key in seen:
            raise ListError(f"{group.where}: {group.name} is there twice, see {seen[key]}")
        seen[key] = group.where
    return groups


def read_types(*paths):
    types = Types({}, {}, {}, {})
    for group in unique([group for path in paths for group in read_groups(path)]):
        cells = [line.columns for line in group.lines]
        if group.kind == "enum":
            storage = group.words[0] if group.words else "i32"
            types.enums[group.name] = (storage, [c[0] for c in cells])
        elif group.kind == "flags":
            types.flags[group.name] = (group.words[0],
                                       [(c[0], c[1] if len(c) > 1 else None) for c in cells])
        elif group.kind == "mask":
            types.masks[group.name] = (group.words[0], [c[0] for c in cells])
        elif group.kind == "struct":
            members = []
            for line in group.lines:
                text = " ".join(line.columns[1:])
                text, _, alias = text.partition(" as ")
                rule, options = split_options(line.where, [text])
                members.append((line.columns[0], rule, options,
                                alias or line.columns[0].replace(".", "_")))
            types.structs[group.name] = (group.words[0], members)
        else:
            raise ListError(f"{group.where}: unknown kind '{group.kind}'")
    return types


def read_functions(path):
    functions = []
    for group in unique(read_groups(path)):
        if group.kind != "fn":
            raise ListError(f"{group.where}: unknown kind '{group.kind}'")
        arguments = []
        for line in group.lines:
            first = line.columns
            direction, _, rest = first[0].partition(" ")
            cells = ([rest] if rest else []) + first[1:]
            if direction not in ("in", "out", "inout") or len(cells) < 3:
                raise ListError(f"{line.where}: expected DIRECTION  TYPE  ARGUMENT  RULE")
            rule, options = split_options(line.where, cells[2:])
            arguments.append(Argument(line.where, direction, cells[0], cells[1], rule, options))
        valid = group.word("valid")
        functions.append(Function(group.where, group.name, group.words, arguments,
                                  group.word("layouts"), valid.split(",") if valid else []))
    return functions


def read_ioctls(path):
    ioctls = []
    for group in read_groups(path):
        if group.kind == "ioctl":
            structure = group.words[0] if group.words and group.words[0] != "-" else None
            current = Ioctl(group.where, group.name, f"AMDKFD_IOC_{group.name}", structure,
                            group.word("by"), None, [])
        elif group.kind == "sub":
            parent, _, constant = group.name.partition(" ")
            operation = constant.split(parent + "_", 1)[1]
            owner = next((i for i in ioctls if i.name == parent), None)
            if not owner or not owner.by:
                raise ListError(f"{group.where}: '{parent}' has no operations")
            current = Ioctl(group.where, f"{parent}_{operation}", constant, owner.structure,
                            None, parent, [])
        else:
            raise ListError(f"{group.where}: unknown kind '{group.kind}'")
        for line in group.lines:
            direction, _, rest = line.columns[0].partition(" ")
            cells = ([rest] if rest else []) + line.columns[1:]
            if direction == "-":
                current.arguments.append(Argument(line.where, "-", None, cells[0], None, {}))
                continue
            if direction not in ("in", "out", "inout") or len(cells) < 2:
                raise ListError(f"{line.where}: expected DIRECTION  MEMBER  RULE")
            rule, options = split_options(line.where, cells[1:])
            current.arguments.append(Argument(line.where, direction, None, cells[0], rule, options))
        if any(i.name == current.name for i in ioctls):
            raise ListError(f"{group.where}: {current.name} is there twice")
        ioctls.append(current)
    return ioctls


def snake(name):
    """hsaKmtFooBar to foo_bar, as the thunk's functions are named."""
    text = name[len("hsaKmt"):] if name.startswith("hsaKmt") else name
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text)
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", text)
    return text.lower()
