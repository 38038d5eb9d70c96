"""Does a JSON value have the shape that an official package's request types describe?

The packages' TypedDicts are walked as they are: a missing required key, a key they don't know, a wrong type or
literal is an error with its path. (pydantic would check `Iterable` fields lazily and let unknown keys pass.)
"""

import collections.abc
import types
import typing

from typing_extensions import NotRequired, Required, get_args, get_origin, get_type_hints, is_typeddict

_hints = {}


def errors(value, kind, path="body"):
    """What is wrong with `value` as a `kind`, as a list of texts; empty if it fits."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Required, NotRequired, typing.Annotated):
        return errors(value, args[0], path)
    if kind in (object, typing.Any):
        return []
    if kind is None or kind is type(None):
        return [] if value is None else [f"{path}: expected null"]
    if origin in (typing.Union, types.UnionType):
        return _union(value, args, path)
    if origin is typing.Literal:
        return [] if value in args else [f"{path}: expected one of {args}, got {value!r}"]
    if is_typeddict(kind):
        return _typed_dict(value, kind, path)
    if origin in (dict, collections.abc.Mapping):
        return _mapping(value, args, path)
    if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Iterable) or _is_sequence(origin):
        if not isinstance(value, list):
            return [f"{path}: expected a list, got {_name(value)}"]
        return [e for i, item in enumerate(value) for e in errors(item, args[0], f"{path}[{i}]")]
    return _plain(value, kind, path)


def _is_sequence(origin):
    return getattr(origin, "__name__", "") == "SequenceNotStr"


def _plain(value, kind, path):
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return []
    if kind is int and isinstance(value, bool):
        return [f"{path}: expected int, got bool"]
    if isinstance(kind, typing.TypeVar) or not isinstance(kind, type):
        return []
    return [] if isinstance(value, kind) else [f"{path}: expected {kind.__name__}, got {_name(value)}"]


def _mapping(value, args, path):
    if not isinstance(value, dict):
        return [f"{path}: expected an object, got {_name(value)}"]
    inner = args[1] if len(args) > 1 else object
    return [e for key, item in value.items() for e in errors(item, inner, f"{path}.{key}")]


def _typed_dict(value, kind, path):
    if not isinstance(value, dict):
        return [f"{path}: expected {kind.__name__}, got {_name(value)}"]
    if kind not in _hints:
        _hints[kind] = get_type_hints(kind, include_extras=True)
    hints, found = _hints[kind], []
    for key, hint in hints.items():
        # With postponed annotations __required_keys__ misses `Required[...]`, so the hint itself is asked first.
        required = get_origin(hint) is Required or (key in kind.__required_keys__ and get_origin(hint) is not NotRequired)
        if required and key not in value:
            found.append(f"{path}: {kind.__name__} needs `{key}`")
    for key, item in value.items():
        if key not in hints:
            found.append(f"{path}.{key}: {kind.__name__} has no such key")
        else:
            found.extend(errors(item, hints[key], f"{path}.{key}"))
    return found


def _union(value, args, path):
    tries = [(errors(value, arg, path), arg) for arg in args]
    if any(not found for found, _ in tries):
        return []
    return min(tries, key=lambda one: (not _meant(value, one[1]), len(one[0])))[0]


def _meant(value, kind):
    """Is `kind` the one that the value means, by being a list or by its `type` or `role`? Its errors are the telling ones."""
    if isinstance(value, list):
        return get_origin(kind) is not None and not is_typeddict(kind)
    if not (isinstance(value, dict) and is_typeddict(kind)):
        return False
    hints = get_type_hints(kind, include_extras=True)
    return all(not errors(value[tag], hints[tag]) for tag in ("type", "role") if tag in value and tag in hints)


def _name(value):
    return "null" if value is None else type(value).__name__


def of(path):
    """The request type for a request path."""
    if path.endswith("/messages"):
        from anthropic.types.message_create_params import MessageCreateParamsStreaming as kind
    elif path.endswith("/responses"):
        from openai.types.responses.response_create_params import ResponseCreateParamsStreaming as kind
    elif path.endswith("/chat/completions"):
        from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming as kind
    else:
        raise ValueError(f"no request type for {path}")
    return kind
