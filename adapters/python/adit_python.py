#!/usr/bin/env python3
"""Adapter for Python classes: lets adit call any class by its import path.

    adit mine io.StringIO --adapter 'python3 adapters/python/adit_python.py'

The subject is a class (`io.StringIO`, `zipfile.ZipFile`) or a function that makes objects
(`threading.Lock`). Operations are its public methods. Values come from, in this order: type hints,
default values, signatures in docstrings, and trial: functions that say nothing about their parameters
are called with values of each kind when the subject is described, and those kinds are kept that a
function does not refuse with a TypeError.

A call that waits (`threading.Lock.acquire` on a lock that is held) is ended by an alarm after `--block`
seconds and reported as blocked: Python runs the handler of a signal also while it waits for a lock. What
waits without Python, in C code that ignores signals, is ended by adit, which starts the adapter again.

The protocol is described in docs/adapters.md. This file needs Python 3.8 or later and nothing else.
"""

import argparse
import ast
import builtins
import collections.abc
import difflib
import enum
import fcntl
import hashlib
import importlib
import inspect
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import types
import typing
import warnings

PROTOCOL = 1

# ---------------------------------------------------------------------------------------------------
# Values: between JSON and Python.


class Default:
    """Stands for a parameter that is left out."""


DEFAULT = Default()


class Fixtures:
    """Values with names, for what JSON cannot say. Each is made anew for each call."""

    def __init__(self):
        self.makers = {}

    def offer(self, name, make):
        self.makers[name] = make
        return {"$choice": name}

    def make(self, name):
        return self.makers[name]()


def to_python(value, results, fixtures):
    if isinstance(value, list):
        return [to_python(one, results, fixtures) for one in value]
    if not isinstance(value, dict):
        return value
    ((form, inner),) = value.items()
    if form == "$bytes":
        return bytes.fromhex(inner)
    if form == "$call":
        kind, result = results[inner]
        if kind != "value":
            raise Unmade("argument")
        return result
    if form == "$default":
        return DEFAULT
    if form == "$choice":
        return fixtures.make(inner)
    if form == "$map":
        return {key_of(to_python(key, results, fixtures)): to_python(one, results, fixtures) for key, one in inner}
    if form == "$float":
        return float(inner)
    if form == "$int":
        return int(inner)
    raise Unmade("type")


def key_of(value):
    return tuple(value) if isinstance(value, list) else value


def to_json(value):
    """A value in the protocol's form, or None if it is an object."""
    if value is None or isinstance(value, (bool, str)) and type(value) in (bool, str):
        return value if not isinstance(value, str) else value[:200]
    if type(value) is int:
        return value if -(2**63) <= value < 2**63 else {"$int": str(value)}
    if type(value) is float:
        if value != value:
            return {"$float": "nan"}
        if value in (float("inf"), float("-inf")):
            return {"$float": "inf" if value > 0 else "-inf"}
        return value
    if type(value) in (bytes, bytearray):
        return {"$bytes": bytes(value[:200]).hex()}
    return NOT_PLAIN


NOT_PLAIN = object()


class Unmade(Exception):
    """A call that cannot be made, and why."""


# What an operation passes always.
FIXED = {"__exit__": (None, None, None)}


class Blocked(BaseException):
    """The alarm ended a call that waited."""


def source_of(value):
    """JSON for a default value, or NOT_PLAIN."""
    if isinstance(value, (list, tuple)) and not isinstance(value, str):
        parts = [source_of(one) for one in value]
        return NOT_PLAIN if any(part is NOT_PLAIN for part in parts) else parts
    return to_json(value)


# ---------------------------------------------------------------------------------------------------
# Parameters: what a function takes, from whatever it tells.

KINDS = {
    int: "int", float: "float", str: "text", bytes: "bytes", bytearray: "bytes", bool: "bool",
    list: "list", tuple: "list", set: "list", frozenset: "list", dict: "map", type(None): "null",
    object: "any", complex: "float", memoryview: "bytes",
}

# Kinds that are tried, in this order, for a parameter that nothing is known of.
TRIED = {
    "text": ["a", "name"], "int": [1, 0], "float": [0.01], "bool": [False], "bytes": [{"$bytes": "6162"}], "list": [["a"], []],
    "map": [{"$map": [["a", "b"]]}], "null": [None], "function": [{"$choice": "function"}],
    "stream": [{"$choice": "bytes stream"}, {"$choice": "text stream"}], "path": [{"$choice": "file"}],
}


class Parameter:
    def __init__(self, name, kind="any", values=(), optional=False, only=False, keyword=False, known=False):
        self.name, self.kind, self.values = name, kind, list(values)
        self.optional, self.only, self.keyword = optional, only, keyword
        # Something said which values it takes.
        self.known = known
        # It takes any number of values, of which one is passed.
        self.star = False
        # The default value, if JSON can say it, and whether no object was made with it.
        self.default, self.fails = NOT_PLAIN, False
        self.of = []

    def memo(self):
        default = [] if self.default is NOT_PLAIN else [self.default]
        return [self.name, self.kind, self.values, self.optional, self.only, self.keyword, self.of, default, self.fails]

    @classmethod
    def remembered(cls, memo):
        name, kind, values, optional, only, keyword, of, default, fails = memo
        parameter = cls(name, kind, values, optional, only, keyword, True)
        parameter.of, parameter.fails = of, fails
        parameter.default = default[0] if default else NOT_PLAIN
        return parameter

    def described(self):
        told = {"name": self.name, "kind": self.kind, "values": self.values}
        if self.optional:
            told["optional"] = True
            # Most callers leave it out, and the default is a value of its own only if nothing else says it.
            left_out = {"$default": True}
            others = [one for one in self.values if one not in (left_out, self.default)]
            told["values"] = others + [left_out] if self.fails else [left_out] + others
        if self.only:
            told["only"] = True
        if self.of:
            told["of"] = self.of
        return told


def from_hint(parameter, hint, subject):
    """Takes what a type hint says."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is inspect.Parameter.empty or hint is typing.Any or isinstance(hint, str):
        return
    if origin is typing.Union or isinstance(hint, getattr(types, "UnionType", ())):
        kinds = [one for one in args if one is not type(None)]
        if len(kinds) < len(args):
            parameter.values.append(None)
        for one in kinds[:1]:
            from_hint(parameter, one, subject)
        return
    if origin is getattr(typing, "Literal", None):
        parameter.values += [value for value in map(to_json, args) if value is not NOT_PLAIN]
        parameter.kind, parameter.only, parameter.known = "choice", True, True
        return
    hint = origin or hint
    if not isinstance(hint, type):
        return
    if issubclass(hint, enum.Enum):
        offered = [subject.fixtures.offer(str(one), lambda one=one: one) for one in hint]
        parameter.kind, parameter.values, parameter.only, parameter.known = "choice", offered, True, True
    elif hint in KINDS:
        parameter.kind, parameter.known = KINDS[hint], hint is not object
    elif subject.type and issubclass(subject.type, hint):
        parameter.kind, parameter.of, parameter.known = "object", [subject.name], True
    elif hint in (collections.abc.Callable,):
        parameter.kind, parameter.values, parameter.only, parameter.known = "choice", [{"$choice": "function"}], True, True
    elif issubclass(hint, os.PathLike):
        parameter.kind, parameter.values, parameter.only, parameter.known = "choice", [{"$choice": "file"}], True, True
    elif issubclass(hint, (collections.abc.Mapping,)):
        parameter.kind, parameter.known = "map", True
    elif issubclass(hint, (collections.abc.Iterable,)):
        parameter.kind, parameter.known = "list", True


def from_default(parameter, default):
    """Takes what a default value says."""
    parameter.optional = True
    value = source_of(default)
    if default is None or value is NOT_PLAIN:
        return
    parameter.default = value
    if parameter.kind == "any":
        parameter.kind = KINDS.get(type(default), "any")
        parameter.known = parameter.kind != "any"
    if value not in parameter.values:
        parameter.values.append(value)


def from_name(parameter):
    """Takes what usual names say: many functions in C have no other hint."""
    name = parameter.name.lower().strip("_")
    usual = {
        "int": ("n", "size", "index", "count", "maxsize", "maxlen", "pos", "offset", "length", "limit", "start", "stop",
                "whence", "bufsize", "indent", "width", "num", "port", "lineno", "level"),
        "bool": ("blocking", "block", "flush", "force"),
        "float": ("timeout", "seconds", "delay"),
        "text": ("s", "text", "string", "str", "key", "section", "option", "sep", "mode", "encoding", "prefix", "suffix",
                 "tag", "header", "title", "line"),
        "bytes": ("b", "data", "buffer", "bytes", "initial_bytes", "payload"),
        "list": ("iterable", "lines", "list", "items", "seq", "sequence", "args", "rows", "values"),
        "choice": ("func", "function", "callback", "fn", "callable"),
    }
    for kind, names in usual.items():
        if name in names:
            parameter.kind = kind
            if kind == "choice":
                parameter.values, parameter.only = [{"$choice": "function"}], True
            return


def parameters_of(function, subject):
    """The parameters of a function, or None if nothing tells them."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return from_docstring(function, subject)
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        hints = {}
    found = []
    for name, one in signature.parameters.items():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if one.kind is inspect.Parameter.VAR_POSITIONAL:
            # One more value is enough to see what they do.
            parameter = Parameter(name, optional=True)
            parameter.star = True
            found.append(parameter)
            continue
        parameter = Parameter(name, keyword=one.kind is inspect.Parameter.KEYWORD_ONLY)
        from_hint(parameter, hints.get(name, one.annotation), subject)
        if one.default is not inspect.Parameter.empty:
            from_default(parameter, one.default)
        found.append(parameter)
    # A long tail of optional parameters multiplies what can be tried and shows little.
    needed = [one for one in found if not one.optional]
    return needed + [one for one in found if one.optional][: max(0, 4 - len(needed))]


def from_docstring(function, subject):
    """Reads `name(a, b[, c=1])` at the beginning of a docstring."""
    text = (getattr(function, "__doc__", None) or "").strip()
    name = re.escape(getattr(function, "__name__", ""))
    match = re.match(r"(?:[\w.]*\.)?" + name + r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text)
    if not match or not name:
        return None
    found = []
    optional = False
    for part in re.split(r"(?=[,\[])|\]", match.group(1)):
        if not part:
            continue
        optional = optional or "[" in part
        part = part.strip(" ,[]")
        if not part or part in ("/", "*", "..."):
            continue
        name, _, default = part.partition("=")
        name = name.strip().lstrip("*").split(":")[0].strip()
        if not name.isidentifier() or name == "self":
            continue
        parameter = Parameter(name, optional=optional or bool(default) or part.startswith("*"))
        if default:
            try:
                from_default(parameter, ast.literal_eval(default.strip()))
            except (ValueError, SyntaxError):
                pass
        found.append(parameter)
    return found[:4]


# ---------------------------------------------------------------------------------------------------
# The subject: a class or a function that makes objects, and its operations.

# Methods with two underscores that stand for syntax, and are as public as others.
SYNTAX = {
    "__enter__", "__exit__", "__len__", "__next__", "__getitem__", "__setitem__", "__delitem__", "__contains__",
    "__iter__", "__call__",
}

# Methods that end the process, wait for a user, or only concern pickling.
NEVER = {"breakpoint", "__reduce__", "__reduce_ex__"}


class Operation:
    def __init__(self, name, attribute, parameters):
        self.name, self.attribute, self.parameters = name, attribute, parameters
        self.answers = set()
        self.is_pure = True
        self.tries = self.worked = 0
        # The alarm had to end it.
        self.waits = 0

    def described(self):
        told = {"name": self.name, "parameters": [one.described() for one in self.parameters]}
        if self.answers and len(self.answers - {"nothing"}) <= 1 and (self.answers - {"nothing"} or self.answers):
            told["answer"] = min(self.answers - {"nothing"} or self.answers)
        if self.is_pure and self.worked >= 3:
            told["pure"] = True
        return told


class Subject:
    def __init__(self, name, options):
        self.name, self.options = name, options
        self.fixtures = Fixtures()
        self.fixtures.offer("function", lambda: (lambda *args, **more: None))
        self.fixtures.offer("bytes stream", lambda: io.BytesIO())
        self.fixtures.offer("text stream", lambda: io.StringIO("a,b\n1,2\n"))
        self.fixtures.offer("file", self.new_file)
        self.files = 0
        self.type = None
        self.maker = self.load(name)
        simple = name.rpartition(".")[2]
        self.type = self.maker if isinstance(self.maker, type) else None
        self.start = Operation(simple, None, parameters_of(self.maker, self))
        self.operations = []
        self.left_out = []
        self.watched = []
        self.last_error = None
        # Arguments with which objects were made, the most usual first.
        self.ways = []

    @staticmethod
    def load(name):
        parts = name.split(".")
        if hasattr(builtins, parts[0]):
            parts.insert(0, "builtins")
        error = None
        for length in range(len(parts), 0, -1):
            try:
                found = importlib.import_module(".".join(parts[:length]))
            except ImportError as problem:
                error = error or problem
                continue
            for attribute in parts[length:]:
                if not hasattr(found, attribute):
                    raise Refused("%s has no attribute `%s`" % (".".join(parts[:length]), attribute), near(attribute, dir(found)))
                found = getattr(found, attribute)
            if not callable(found):
                raise Refused("%s is a %s, not a class or a function" % (name, type(found).__name__), "name a class: `io.StringIO`")
            return found
        raise Refused("Python cannot import it: %s" % error, "write module and class, such as `io.StringIO`; for modules of your own, add their folder with --path DIR to the adapter's command")

    def new_file(self):
        """A path where nothing is yet."""
        self.files += 1
        return os.path.join(os.getcwd(), "file%d" % self.files)

    def reset_files(self):
        """Removes what calls left in the folder, which is the adapter's own."""
        self.files = 0
        if self.options.counts and os.stat(self.options.folder).st_size == self.options.empty:
            return
        for entry in os.scandir(self.options.folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.remove(entry.path)

    def discover(self):
        """Finds out what can be called, by trying: describes nothing that cannot work."""
        self.find_start()
        made = self.fresh()
        if made is None:
            return
        self.type = self.type or type(made)
        if not isinstance(made, self.type):
            # A class that makes objects of another one.
            self.type = type(made)
        names = [name for name in dir(made) if not name.startswith("_") or name in SYNTAX]
        for name in names:
            if name in NEVER:
                continue
            try:
                attribute = getattr(made, name)
            except Exception:
                continue
            if not callable(attribute) or isinstance(attribute, type):
                continue
            if isinstance(inspect.getattr_static(self.type, name, None), (staticmethod, classmethod)):
                continue
            parameters = parameters_of(attribute, self)
            if name in FIXED:
                parameters = []
            operation = Operation(name, name, parameters)
            if parameters is None:
                operation.parameters = self.guess_arity(operation)
            self.operations.append(operation)
        self.find_watched()
        for operation in self.operations:
            self.find_kinds(operation)
            add_constants(operation, getattr(self.type, operation.attribute, None))
        self.learn()

    def memo(self):
        """What was found out, for other processes of this adapter."""
        operations = [[one.name, one.attribute, [two.memo() for two in one.parameters], sorted(one.answers), one.is_pure]
                      for one in [self.start] + self.operations]
        return {"operations": operations, "watched": self.watched, "ways": self.ways}

    def remember(self, memo):
        """Takes over what another process found out."""
        self.watched, self.ways = [tuple(one) for one in memo["watched"]], memo["ways"]
        for name, attribute, parameters, answers, is_pure in memo["operations"]:
            operation = Operation(name, attribute, [Parameter.remembered(one) for one in parameters])
            operation.answers, operation.is_pure, operation.worked = set(answers), is_pure, 3
            if attribute is None:
                self.start = operation
            else:
                self.operations.append(operation)
        made = self.fresh()
        if made is None:
            raise Refused("no object could be made, which worked before", "does the class depend on time or chance?")
        if self.type is None or not isinstance(made, self.type):
            self.type = type(made)
        # Reading the signatures again makes the values that have names.
        for operation in self.operations:
            parameters_of(getattr(made, operation.attribute, None), self)

    def find_start(self):
        """Finds arguments with which an object is made."""
        if self.start.parameters is None:
            self.start.parameters = []
            self.start.parameters = self.guess_arity(self.start)
        for parameter in self.start.parameters:
            if not parameter.known:
                self.find_kind(self.start, parameter)
        add_constants(self.start, self.maker)
        if self.works([usual(one) for one in self.start.parameters]):
            return
        # Arguments often work only together: a mode, and a file that does not exist yet.
        rng = random.Random(0)
        until = time.monotonic() + self.options.learning
        for _ in range(3000):
            if len(self.ways) >= 8 or time.monotonic() > until:
                break
            self.works([rng.choice(pool_of(one)) for one in self.start.parameters])
        self.keep_what_worked()

    def works(self, args):
        """Tries to make an object, and remembers the arguments."""
        self.last_error = None
        made = self.try_call(self.start, None, args)
        self.reset_files()
        if made is None or self.last_error is not None:
            return False
        if args not in self.ways:
            self.ways.append(args)
        return True

    def keep_what_worked(self):
        """Values with which an object was made come first; a parameter that they agree on is left to them."""
        for place, parameter in enumerate(self.start.parameters):
            worked = []
            for args in self.ways:
                if args[place] not in worked and args[place] != {"$default": True}:
                    worked.append(args[place])
            parameter.values = worked + [value for value in parameter.values if value not in worked]
            defaults = ({"$default": True}, parameter.default)
            parameter.fails = bool(self.ways) and not any(args[place] in defaults for args in self.ways)

    def try_call(self, operation, on, args=None):
        """Makes a call with usual values; the result, or None if it failed."""
        chosen = [usual(one) for one in operation.parameters] if args is None else args
        try:
            values = [to_python(one, [], self.fixtures) for one in chosen]
            return self.guarded(operation, on, values)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self.last_error = error
            return None

    def fresh(self, number=0):
        """A new object, or None."""
        self.reset_files()
        if not self.ways:
            return None
        return self.try_call(self.start, None, self.ways[number % len(self.ways)])

    def guess_arity(self, operation):
        """The parameters of a function that tells nothing, from its complaints."""
        for count in range(5):
            if not any(self.complains_of_count(operation, [value] * count) for value in ("a", ["a"])[: 1 + min(count, 1)]):
                found = [Parameter("arg%d" % at) for at in range(count)]
                if not self.complains_of_count(operation, ["a"] * (count + 1)):
                    found.append(Parameter("arg%d" % count, optional=True))
                return found
        return []

    def complains_of_count(self, operation, args):
        """Tells whether a function refuses this number of arguments, whatever they are."""
        made = None if operation is self.start else self.fresh()
        probe = Operation(operation.name, operation.attribute, [Parameter("arg%d" % at) for at in range(len(args))])
        self.last_error = None
        self.try_call(probe, made, args)
        text = str(self.last_error) if isinstance(self.last_error, TypeError) else ""
        self.last_error = None
        is_about_type = re.search(r"must be|integer|required, not|supported|not '?\w+'?$", text)
        return not is_about_type and bool(
            re.search(r"missing|expected|takes|at least|at most|exactly|required arg|requires|no arguments", text))

    def find_kinds(self, operation):
        for parameter in operation.parameters:
            if not parameter.known and parameter.kind == "any":
                self.find_kind(operation, parameter)

    def find_kind(self, operation, parameter):
        """Keeps the kinds of values that a parameter is not refused for."""
        accepted, worked = [], []
        if not parameter.star:
            from_name(parameter)
        if parameter.kind == "choice":
            return
        guess, parameter.kind = parameter.kind, "any"
        place = operation.parameters.index(parameter)
        for kind, values in TRIED.items():
            for value in values:
                on = None if operation is self.start else self.fresh()
                args = [usual(one) for one in operation.parameters]
                args[place] = value
                self.last_error = None
                result = self.try_call(operation, on, args)
                error = self.last_error
                if error is None:
                    worked.append((kind, value))
                elif not isinstance(error, (TypeError, AttributeError)):
                    accepted.append((kind, value))
        if guess != "any" and any(kind == guess for kind, _ in worked + accepted):
            parameter.kind = guess
            parameter.known = True
            return
        chosen = worked or accepted
        kinds = {kind for kind, _ in chosen}
        if {"text", "int", "bytes"} <= kinds:
            # What takes everything is a container, and what takes all that can be hashed has keys. Few values
            # meet each other often.
            parameter.kind, parameter.values, parameter.known = "any", ["a", "b", 1], True
            return
        # Where nothing worked, what was not refused for its type may be right in another state.
        chosen = worked or [one for one in accepted if one[0] in ("text", "int", "path")] or accepted
        if "int" in kinds:
            chosen = [one for one in chosen if one[0] not in ("bool", "float")]
        kinds = list(dict.fromkeys(kind for kind, _ in chosen))
        if not kinds:
            return
        plain = [kind for kind in kinds if kind not in ("function", "stream", "path", "null")]
        if len(plain) == 1 and len(kinds) == 1:
            parameter.kind = plain[0]
        elif "list" in plain and "text" in plain and "int" not in plain:
            # Something to iterate over, unless its name says more.
            parameter.kind, parameter.values = "list", []
        else:
            values = [value for kind, value in chosen]
            parameter.kind = plain[0] if plain else "choice"
            parameter.values = values
            parameter.only = not plain
        parameter.known = True

    # -- State ---------------------------------------------------------------------------------------

    def find_watched(self):
        """Attributes and functions without parameters that tell about an object and do not change it."""
        made = self.fresh()
        if made is None:
            return
        watched = []
        for name in dir(made):
            if name.startswith("__"):
                continue
            static = inspect.getattr_static(made, name, None)
            if static is inspect.getattr_static(self.type, name, NOT_PLAIN) and not hasattr(type(static), "__get__"):
                # A constant of the class.
                continue
            try:
                value = getattr(made, name)
            except Exception:
                # A property that is refused now may be there later, as that of a closed file.
                if isinstance(static, (property, types.GetSetDescriptorType, types.MemberDescriptorType)):
                    watched.append((name, "attribute"))
                continue
            if not callable(value):
                watched.append((name, "attribute"))
        watched.append(("repr", "repr"))
        candidates = [name for name in dir(made) if self.is_observer(made, name)]
        for name in candidates:
            if self.observes(name):
                watched.append((name, "call"))
        self.watched = watched
        if not watched:
            return
        # What two new objects do not agree on is chance: a time, a number of the process.
        one, other = self.state(self.fresh()), self.state(self.fresh())
        self.watched = [known for known in watched if one[known[0]] == other[known[0]]][:40]

    def is_observer(self, made, name):
        if name == "__len__":
            return True
        if name.startswith("_"):
            return False
        value = getattr(made, name, None)
        if not callable(value) or isinstance(value, type):
            return False
        try:
            signature = inspect.signature(value)
            if any(one.default is inspect.Parameter.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
                   for one in signature.parameters.values()):
                return False
        except (ValueError, TypeError):
            # Functions in C may tell nothing; those with a parameter will refuse to be called without.
            pass
        words = ("get", "is", "has", "len", "size", "count", "tell", "empty", "full", "qsize", "closed", "name", "value",
                 "total", "peek", "locked", "keys", "sections", "names", "namelist", "getvalue", "copy", "readable",
                 "writable", "seekable", "done", "cancelled", "running", "alive")
        name = name.lower()
        return name in words or name.startswith(("is_", "has_", "get", "is")) and not name.startswith(("get_next", "getline"))

    def observes(self, name):
        """Tells by trial that a function changes nothing: asked twice, everything is as it was."""
        made = self.fresh()
        if made is None:
            return False
        operation = Operation(name, name, [])
        before = raw_state(made)
        first = self.try_call(operation, made)
        second = self.try_call(operation, made)
        if first is None or operation.waits:
            return False
        return show(first) == show(second) and raw_state(made) == before

    def prune(self, states):
        """Leaves out what was never seen to differ, and what says the same as another: each costs time in
        every call, and tells nothing."""
        kept = []
        for known in self.watched:
            values = [json.dumps(state.get(known[0])) for state in states]
            is_same = any(len(set(values)) == len(set(others)) == len(set(zip(values, others))) for _, others in kept)
            if len(set(values)) > 1 and not is_same:
                kept.append((known, values))
        self.watched = [known for known, _ in kept]

    def state(self, made):
        told = {}
        for name, how in self.watched:
            try:
                if how == "attribute":
                    value = getattr(made, name)
                elif how == "call":
                    value = getattr(made, name)()
                else:
                    value = plain_repr(made)
                told[name] = value if value is None or type(value) in (bool, int) and abs(value) < 2**63 else show(value)
            except Exception as error:
                told[name] = "!" + type(error).__name__
        return told

    # -- Learning from a few random calls --------------------------------------------------------------

    def learn(self):
        """Makes some random calls, to see which kinds of values come back and what changes nothing."""
        rng = random.Random(1)
        states = []
        until = time.monotonic() + self.options.learning
        for number in range(150):
            made = self.fresh(number) if time.monotonic() < until else None
            if made is None or not self.operations:
                break
            before = self.state(made)
            states.append(before)
            for _ in range(6):
                operation = rng.choice(self.operations)
                if operation.waits > 4:
                    continue
                args = [rng.choice(pool_of(one)) for one in operation.parameters]
                self.last_error = None
                result = self.try_call(operation, made, args)
                after = self.state(made)
                states.append(after)
                operation.tries += 1
                if self.last_error is None:
                    operation.worked += 1
                    operation.answers.add(kind_of_answer(result))
                    operation.is_pure = operation.is_pure and after == before
                before = after
        self.reset_files()
        self.prune(states)

    # -- Calls ---------------------------------------------------------------------------------------

    def guarded(self, operation, on, values):
        """Makes a call that is given up if it waits."""
        if operation.attribute is None:
            function = self.maker
        else:
            function = getattr(on, operation.attribute)
        args, named = [], {}
        skipped = False
        for parameter, value in zip(operation.parameters, values):
            if value is DEFAULT:
                skipped = True
            elif parameter.keyword or skipped:
                named[parameter.name] = value
            else:
                args.append(value)
        args += FIXED.get(operation.attribute, ())
        try:
            return ALARM.call(function, args, named)
        except Blocked:
            operation.waits += 1
            raise


def add_constants(operation, function):
    """Offers the texts that a function compares with, and those that its documentation quotes."""
    found = []
    codes = [getattr(function, "__code__", None)]
    if isinstance(function, type):
        codes = [getattr(getattr(function, name, None), "__code__", None) for name in ("__init__", "__new__")]
    for code in filter(None, codes):
        for constant in code.co_consts:
            found += constant if isinstance(constant, tuple) else [constant]
    quoted = re.findall(r"""(?<!\w)['"`]([A-Za-z0-9_+./-]{1,12})['"`]""", getattr(function, "__doc__", None) or "")
    texts = [one for one in found if isinstance(one, str) and re.fullmatch(r"[A-Za-z0-9_+./-]{1,12}", one)]
    for parameter in operation.parameters:
        # A method that takes any text has no use for them; one with a default chooses among a few.
        chooses = any(isinstance(value, str) for value in parameter.values) and parameter.optional
        if parameter.kind == "text" and not parameter.only and (chooses or operation.attribute is None):
            if not parameter.values and not parameter.optional:
                # A word of the documentation is no better a guess than any other text.
                parameter.values.append("a")
            # What the code compares with is more likely meant than what its documentation quotes.
            for text in (texts + quoted)[:12]:
                if text not in parameter.values:
                    parameter.values.append(text)


class Refused(Exception):
    def __init__(self, message, help):
        super().__init__(message)
        self.help = help


def near(name, names):
    found = difflib.get_close_matches(name, [one for one in names if not one.startswith("_")], 3)
    return "did you mean %s?" % " or ".join("`%s`" % one for one in found) if found else "is the name complete?"


def usual(parameter):
    """The most usual value of a parameter."""
    if parameter.optional:
        return {"$default": True}
    return pool_of(parameter)[0]


def pool_of(parameter):
    """Some values of a parameter."""
    pools = {"null": [None], "bool": [True, False], "int": [1, 0, 2, -1], "float": [0.5, 0.0], "text": ["a", "", "b"],
             "bytes": [{"$bytes": "6162"}, {"$bytes": ""}], "list": [["a"], []], "map": [{"$map": [["a", "b"]]}],
             "any": [1, "a"], "object": [None], "choice": []}
    values = list(parameter.values) + ([] if parameter.only else pools[parameter.kind])
    if parameter.optional:
        values.append({"$default": True})
    return values or [None]


def kind_of_answer(value):
    kinds = {bool: "bool", int: "int", float: "float", str: "text", type(None): "nothing"}
    return kinds.get(type(value), "object")


# Rings of the alarm in a row, each after the thread was seen to wait, that make a call a waiting one.
RINGS = 3

USAGE = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)


class Alarm:
    """Ends a call that waits. It is told from one that works, or is not given the processor, by its switches:
    a thread that waits gave the processor away, and used none since the last ring.

    It rings all the time while a line is answered, because setting it for each call would cost as much as
    many calls do."""

    def __init__(self):
        self.rings, self.switches, self.used = 0, 0, 0.0
        # The number of the call that is made, the one of the last ring, and whether one is made at all.
        self.serial, self.last, self.is_calling = 0, 0, False

    def set(self, seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds / RINGS, seconds / RINGS)

    def look(self):
        usage = resource.getrusage(USAGE)
        before = self.switches, self.used
        self.switches, self.used = usage.ru_nvcsw, usage.ru_utime + usage.ru_stime
        return self.switches > before[0] and self.used - before[1] < 0.001

    def ring(self, _number, _frame):
        if not self.is_calling:
            return
        is_waiting = self.look()
        if self.serial != self.last:
            # A new call: what happened before this ring was not all its doing.
            self.last, self.rings = self.serial, 1
        elif is_waiting:
            self.rings += 1
            if self.rings >= RINGS:
                self.is_calling = False
                raise Blocked()

    def call(self, function, args, named):
        self.serial += 1
        self.is_calling = True
        try:
            return function(*args, **named)
        finally:
            self.is_calling = False


ALARM = Alarm()


def show(value):
    """A short form of a value for states: what differs each time is left out."""
    plain = to_json(value)
    if plain is NOT_PLAIN:
        if isinstance(value, collections.abc.Sized):
            try:
                size = len(value)
                if size > LARGE:
                    return "%s of %d" % (type(value).__name__, size)
                text = repr(value)
            except Exception:
                return type(value).__name__
            if " at 0x" in text or " object" in text:
                return "%s of %d" % (type(value).__name__, size)
            return text if len(text) <= 60 else "%s of %d %s" % (type(value).__name__, size, digest(text))
        if callable(value):
            return "function"
        try:
            text = repr(value)
        except Exception:
            return type(value).__name__
        text = without_chance(text)
        return text if len(text) <= 60 else digest(text)
    if isinstance(plain, dict):
        return json.dumps(plain) if len(json.dumps(plain)) <= 60 else digest(json.dumps(plain))
    if isinstance(plain, str) and len(plain) > 60:
        return "%d characters %s" % (len(value), digest(value))
    return plain


def digest(text):
    return hashlib.sha1(text.encode("utf-8", "replace")).hexdigest()[:8]


# Elements from which on a container is told by its size: showing them all takes longer than most calls.
LARGE = 200

CHANCE = re.compile(r" at 0x[0-9a-fA-F]+|=[0-9]{8,}")


def without_chance(text):
    """A representation without addresses and numbers of threads, which differ in each run. What else it says
    is often the best there is."""
    return CHANCE.sub("", text) if "=" in text or " at 0x" in text else text


def plain_repr(made):
    if isinstance(made, collections.abc.Sized) and len(made) > LARGE:
        return "%d elements" % len(made)
    text = without_chance(repr(made))
    return text if len(text) <= 60 else digest(text)


def raw_state(made):
    try:
        return {name: show(value) for name, value in vars(made).items()}
    except TypeError:
        return without_chance(repr(made))


# ---------------------------------------------------------------------------------------------------
# The protocol.


class Adapter:
    def __init__(self, options):
        self.options = options
        self.subject = None
        self.results = []
        self.first = {}
        self.by_name = {}
        self.process = os.getpid()

    def describe(self, request):
        try:
            self.subject = Subject(request["subject"], self.options)
            if "memo" in request:
                self.subject.remember(request["memo"])
            else:
                self.subject.discover()
        except Refused as error:
            return {"error": str(error), "help": error.help}
        subject = self.subject
        if not subject.operations:
            why = subject.last_error
            if subject.ways:
                return {"error": "its objects have no public methods", "help": "name another class"}
            return {"error": "no object could be made%s" % (": %s: %s" % (type(why).__name__, why) if why else ""),
                    "help": "name a class whose objects can be made from plain values, or write a function that makes one"}
        self.by_name = {one.name: one for one in subject.operations}
        self.by_name[subject.start.name] = subject.start
        notes = []
        waiting = [one.name for one in subject.operations if one.waits]
        if waiting:
            notes.append("calls that wait are given up after %g s: %s" % (self.options.block, ", ".join(waiting)))
        return {
            "protocol": PROTOCOL, "name": subject.name, "language": "python",
            "version": "%d.%d.%d" % sys.version_info[:3], "state": bool(subject.watched), "render": True,
            "seconds": 2.0 + 20 * self.options.block, "starts": [subject.start.described()],
            "operations": [one.described() for one in subject.operations], "notes": notes,
            "memo": subject.memo(),
        }

    def reset(self, _request):
        self.results, self.first = [], {}
        if self.subject:
            self.subject.reset_files()
        return {}

    def call(self, request):
        at = len(self.results)
        self.results.append(("nothing", None))
        operation = self.by_name.get(request["name"])
        if operation is None:
            return {"error": "there is no operation `%s`" % request["name"]}
        on = None
        if operation.attribute is not None:
            kind, on = self.results[request["on"]]
            if kind != "value" or on is None:
                return {"skipped": "receiver"}
        try:
            values = [to_python(one, self.results, self.subject.fixtures) for one in request["args"]]
            result = self.subject.guarded(operation, on, values)
            if os.getpid() != self.process:
                # The call made a second process of this one, which must not answer too.
                os._exit(0)
        except Unmade as error:
            return {"skipped": str(error)}
        except Blocked:
            return {"blocked": True}
        except MemoryError as error:
            return {"threw": "MemoryError", "message": str(error), "exhausted": True}
        except BaseException as error:
            return {"threw": type(error).__name__, "message": str(error)[:200]}
        self.results[at] = ("value", result)
        plain = to_json(result)
        if plain is not NOT_PLAIN:
            return {"returned": plain}
        first = self.first.setdefault(id(result), at)
        kind = self.subject.name if type(result) is self.subject.type else type(result).__name__
        return {"object": kind, "first": first}

    def state(self, request):
        kind, made = self.results[request["on"]]
        if kind != "value" or type(made) is not self.subject.type:
            return {"state": None}
        return {"state": self.subject.state(made)}

    def render(self, request):
        """The calls as Python."""
        module, _, simple = self.subject.name.rpartition(".")
        lines = ["import %s" % module] if module else []
        for at, call in enumerate(request["calls"]):
            operation = self.by_name[call["name"]]
            args, skipped = [], False
            for parameter, value in zip(operation.parameters, call["args"]):
                if isinstance(value, dict) and "$default" in value:
                    skipped = True
                    continue
                text = written(value)
                args.append("%s=%s" % (parameter.name, text) if skipped or parameter.keyword else text)
            if operation.attribute is None:
                function = self.subject.name
            else:
                function = "s%d.%s" % (call["on"], operation.attribute)
            lines.append("s%d = %s(%s)" % (at, function, ", ".join(args)))
        return {"text": "\n".join(lines)}

    def serve(self, source, target):
        encode = json.JSONEncoder(separators=(",", ":")).encode
        verbs = {"describe": self.describe, "reset": self.reset, "call": self.call, "state": self.state,
                 "render": self.render, "close": lambda _request: {}}
        for line in source:
            message = json.loads(line)
            ALARM.set(self.options.block)
            answers = []
            blocked = closing = False
            for request in message["requests"]:
                if blocked and request["do"] in ("call", "state"):
                    # Nothing is made of what follows a call that waits.
                    answers.append({"blocked": True} if request["do"] == "call" else {"state": None})
                    continue
                answer = verbs[request["do"]](request)
                blocked = answer.get("blocked", False)
                closing = request["do"] == "close"
                answers.append(answer)
            ALARM.set(0)
            target.write(encode({"id": message["id"], "answers": answers}) + "\n")
            target.flush()
            if closing:
                return


def written(value):
    """A value as Python source."""
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(written, value))
    if not isinstance(value, dict):
        return repr(value)
    ((form, inner),) = value.items()
    if form == "$bytes":
        return repr(bytes.fromhex(inner))
    if form == "$call":
        return "s%d" % inner
    if form == "$map":
        return "{%s}" % ", ".join("%s: %s" % (written(key), written(one)) for key, one in inner)
    if form == "$float":
        return "float(%r)" % inner
    if form == "$choice":
        return {"function": "lambda *args, **more: None", "bytes stream": "io.BytesIO()",
                "text stream": "io.StringIO('a,b\\n1,2\\n')", "file": "'file1'"}.get(inner, str(inner))
    return str(inner)


def main():
    parser = argparse.ArgumentParser(description="Adapter of adit for Python classes")
    parser.add_argument("--path", action="append", default=[], metavar="DIR", help="folder with modules of your own")
    parser.add_argument("--block", type=float, default=0.003, metavar="SECONDS",
                        help="time after which a call that waits is given up (default: 0.003)")
    parser.add_argument("--learning", type=float, default=5.0, metavar="SECONDS",
                        help="most time for each part of finding out what a class takes (default: 5)")
    options = parser.parse_args()
    sys.path[:0] = options.path
    # What a class prints must not come between the lines of the protocol, and a class that takes descriptors
    # must not close those of the protocol.
    source = os.fdopen(fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 500), "r", encoding="utf-8")
    target = os.fdopen(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 500), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    sys.stdout, sys.stdin = sys.stderr, io.StringIO()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, ALARM.ring)
    # Files that calls make lie in a folder of their own, which is emptied by each reset.
    with tempfile.TemporaryDirectory(prefix="adit-python-") as folder:
        options.folder = folder
        os.chdir(folder)
        # In the file system of the sandbox, the size of a folder tells whether it is empty.
        options.empty = os.stat(folder).st_size
        with open("try", "w"):
            options.counts = os.stat(folder).st_size != options.empty
        os.remove("try")
        Adapter(options).serve(source, target)


if __name__ == "__main__":
    main()
