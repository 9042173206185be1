"""Turn names such as `nDCG(gains=exp)@10` into registered functions with parameters, and back into names.

A `Spec` is a name with its parameters.  A `Registry` holds the metrics, the judges or the targets by name.  They come
from the package itself, from installed plug-ins (entry points), and from files that a user names.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from neraca.errors import InputError, MissingExtra, SpecError
from neraca.nearest import nearest
from neraca.translation import say

T = TypeVar("T")
Value = bool | int | float | str
_CUTOFF = r"[\w.+-]+"
_SPEC = re.compile(rf"\s*([^\W\d][\w.+-]*)\s*(?:\((.*)\))?\s*(?:@\s*({_CUTOFF}))?\s*", re.DOTALL)


class Spec:
    """A name with its parameters: equal, hashed and printed by its text.

    >>> str(Spec.parse("nDCG( gains = exp )@10"))
    'nDCG(gains=exp)@10'
    >>> Spec.parse("PassRate(price)").values
    ('price',)
    """

    __slots__ = ("name", "params", "values")

    def __init__(self, name: str, params: Mapping[str, Value] | None = None, values: tuple[Value, ...] = ()) -> None:
        self.name = name
        self.params = dict(params or {})
        self.values = values

    @classmethod
    def parse(cls, text: str) -> Spec:
        """Read `NAME`, `NAME@K`, `NAME(value)` or `NAME(key=value, ...)@K`; raise `SpecError`."""
        match = _SPEC.fullmatch(text)
        if not match:
            raise SpecError(say("cannot read {text!r}; write NAME, NAME@K or NAME(key=value)@K", text=text))
        name, inside, at = match.groups()
        params: dict[str, Value] = {}
        values: list[Value] = []
        for part in _split(inside or "", text):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or "(" in key:
                values.append(_value(part))
            elif not key.isidentifier() or not value or key in params:
                raise SpecError(
                    say("cannot read {part!r} in {text!r}; write key=value, each key once", part=part, text=text)
                )
            else:
                params[key] = _value(value)
        if at is not None:
            if "at" in params:
                raise SpecError(say("{text!r} gives the cutoff twice", text=text))
            params["at"] = _value(at)
        return cls(name, params, tuple(values))

    def __str__(self) -> str:
        texts = {key: _text(value) for key, value in self.params.items()}
        has_cutoff = "at" in texts and re.fullmatch(_CUTOFF, texts["at"])
        at = f"@{texts.pop('at')}" if has_cutoff else ""
        parts = [*map(_text, self.values), *(f"{key}={text}" for key, text in texts.items())]
        inside = f"({','.join(parts)})" if parts else ""
        return f"{self.name}{inside}{at}"

    def __repr__(self) -> str:
        return f"Spec({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def split_specs(text: str) -> list[str]:
    """Split a list of names at white space and commas outside parentheses.

    >>> split_specs("P@5 nDCG(gains=exp, rel=2)@10, RR")
    ['P@5', 'nDCG(gains=exp, rel=2)@10', 'RR']
    """
    joined = re.sub(r"\s*([(@])\s*", r"\1", text)
    return list(_split(joined, text, separators=", \t\r\n"))


def _split(text: str, whole: str, separators: str = ",") -> Iterator[str]:
    """Yield the parts of a text, split outside parentheses; `whole` is the user's text, for the error message."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter in separators and depth == 0:
            if part.strip():
                yield part.strip()
            part = ""
        else:
            part += letter
    if depth:
        raise SpecError(say("the parentheses of {whole!r} do not match", whole=whole))
    if part.strip():
        yield part.strip()


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


@functools.cache
def parameters_of(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function; cached, because the look-up is slow."""
    return inspect.signature(function).parameters


class Registry(Generic[T]):
    """Objects of one kind by name, such as all judges.

    Parameters
    ----------
    kind
        The kind, for messages: "metric", "judge", "target".
    home
        The package whose modules register the built-in objects when they are imported.  Its mapping `MODULE_BY_NAME`
        names the module of each object.  Without an entry there, the module with the name of the object is tried, and
        then all.  Installed plug-ins register through entry points of the group with the same name (`neraca.metrics`,
        …).
    """

    def __init__(self, kind: str, home: str) -> None:
        self.kind = kind
        self._home = home
        self._objects: dict[str, T] = {}
        self._sources: dict[str, str] = {}
        self._loaded = False

    def add(self, name: str, registered: T, source: str = "") -> None:
        """Register an object under a name; raise `SpecError` if another source has registered this name."""
        if name in self._objects and (not source or self._sources[name] != source):
            raise SpecError(
                say(
                    "{kind} {name!r} is registered already, by {sources}",
                    kind=self.kind,
                    name=name,
                    sources=self._sources[name] or "this program",
                )
            )
        home = getattr(sys.modules.get(self._home), "MODULE_BY_NAME", {})
        if name in home and not source.startswith(self._home):
            raise SpecError(
                say(
                    "{kind} {name!r} is one of {room}.{file}; give yours another name",
                    kind=self.kind,
                    name=name,
                    room=self._home,
                    file=home[name],
                )
            )
        self._objects[name] = registered
        self._sources[name] = source

    def register(self, name: str) -> Callable[[T], T]:
        """Register the decorated function or class: `@TARGETS.register("http")`."""

        def add_decorated(decorated: T) -> T:
            module = getattr(decorated, "__module__", "")
            self.add(name, decorated, f"{module}.{getattr(decorated, '__qualname__', repr(decorated))}")
            return decorated

        return add_decorated

    def names(self) -> list[str]:
        """Return all names, sorted."""
        self._load()
        return sorted(self._objects)

    def has(self, name: str) -> bool:
        """Return whether exactly this name is registered, without looking through installed plug-ins."""
        return name in self._objects or name in getattr(importlib.import_module(self._home), "MODULE_BY_NAME", {})

    def get(self, name: str) -> T:
        """Return the object with this name; raise `SpecError` with similar names if there is none."""
        if name not in self._objects and (module := self._module_of(name)):
            importlib.import_module(module)
        if name not in self._objects:
            self._load()
        if name not in self._objects:
            advice = nearest(name, self.names())
            raise SpecError(
                say("no {kind} is called {name!r}; {advice}", kind=say(self.kind), name=name, advice=advice)
            )
        return self._objects[name]

    def _module_of(self, name: str) -> str:
        place = getattr(importlib.import_module(self._home), "MODULE_BY_NAME", {}).get(name)
        if place is None and name.isidentifier() and importlib.util.find_spec(f"{self._home}.{name}"):
            place = name
        return f"{self._home}.{place}" if place else ""

    def _load(self) -> None:
        if self._loaded:
            return
        import pkgutil  # both are slow to import and seldom needed
        from importlib.metadata import entry_points

        home = importlib.import_module(self._home)
        for module in pkgutil.walk_packages(home.__path__, f"{self._home}."):
            with suppress(MissingExtra):  # a module whose extra is not installed registers nothing
                importlib.import_module(module.name)
        for entry in entry_points(group=self._home):
            try:
                entry.load()
            except Exception as error:  # the message names the plug-in, whatever its code raises
                package = entry.dist.name if entry.dist else "unknown"
                raise SpecError(
                    say(
                        "plug-in {name!r} of package {package!r} ({place}) cannot be loaded: {kind}: {error}; mend "
                        "or uninstall it",
                        name=entry.name,
                        package=package,
                        place=entry.value,
                        kind=type(error).__name__,
                        error=error,
                    )
                ) from error
        self._loaded = True


def bind(spec: Spec, function: Callable[..., object]) -> tuple[Spec, dict[str, Any]]:
    """Match the parameters of a spec with the keyword-only parameters of a function; raise `SpecError`.

    Bare values are the required parameters in their order; other parameters are written as key=value.  A parameter such
    as `*metrics` takes all further bare values.  A value equal to the default is neither printed nor passed, except a
    cutoff, so that `P` and `P@10` are both `P@10`.

    Returns
    -------
    tuple
        The canonical spec, and the keyword arguments; further bare values are in the argument "*".
    """
    declared = parameters_of(function).values()
    defaults = {p.name: p.default for p in declared if p.kind is p.KEYWORD_ONLY}
    takes_further = any(p.kind is p.VAR_POSITIONAL for p in declared)
    required = [name for name, default in defaults.items() if default is inspect.Parameter.empty]
    values = dict(spec.params)
    open_names = [name for name in required if name not in values]
    further = spec.values[len(open_names) :]
    if further and not takes_further:
        raise SpecError(
            say(
                "{spec}: cannot place {further!r}; {signature}",
                spec=spec,
                further=further[0],
                signature=_signature(spec.name, defaults),
            )
        )
    values.update(zip(open_names, spec.values, strict=False))
    if missing := [name for name in required if name not in values]:
        raise SpecError(f"{spec} needs {missing[0]}; {_signature(spec.name, defaults)}")
    if extra := sorted(values.keys() - defaults.keys()):
        raise SpecError(
            say(
                "{name} has no parameter {extra!r}; {signature}",
                name=spec.name,
                extra=extra[0],
                signature=_signature(spec.name, defaults),
            )
        )
    for name, value in values.items():
        _check_type(spec, name, value, defaults[name])
    cutoff = {"at": defaults["at"]} if isinstance(defaults.get("at"), int) and defaults["at"] > 0 else {}
    values = {**cutoff, **values}
    printed = {
        name: values[name] for name in defaults if name in cutoff or (name in values and values[name] != defaults[name])
    }
    optional = {name: value for name, value in printed.items() if name not in required}
    arguments = {**printed, **({"*": further} if further else {})}
    return Spec(spec.name, optional, (*(values[name] for name in required), *further)), arguments


def _check_type(spec: Spec, name: str, value: Value, default: object) -> None:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    cutoff = name == "at" and not isinstance(default, float)  # at=0.6 is a threshold
    if cutoff and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise SpecError(say("{spec}: the cutoff is a whole number from 1, not {value!r}", spec=spec, value=value))
    if isinstance(default, bool) != isinstance(value, bool) and isinstance(default, bool):
        raise SpecError(say("{spec}: {name} is true or false, not {value!r}", spec=spec, name=name, value=value))
    if value != value or (isinstance(default, int | float) and not isinstance(default, bool) and not numeric):
        raise SpecError(say("{spec}: {name} is a number, not {value!r}", spec=spec, name=name, value=value))
    if isinstance(default, str) and not isinstance(value, str):
        raise SpecError(say("{spec}: {name} is a word, not {value!r}", spec=spec, name=name, value=value))


def _signature(name: str, defaults: Mapping[str, object]) -> str:
    parts = [key if default is inspect.Parameter.empty else f"{key}={default}" for key, default in defaults.items()]
    return f"it takes {', '.join(parts)}" if parts else f"{name} takes no parameters"


def load_file(path: Path) -> ModuleType:
    """Run a user's Python file and return it as a module; its decorated functions and classes are registered.

    The same content is run only once.  The file can import from its own folder.  Raise `InputError`.
    """
    if not path.is_file():
        raise InputError(say("{path}: no such file (looked from {folder})", path=path, folder=Path.cwd()))
    import hashlib  # slow to import, and only needed for a user's own file

    absolute = path.resolve()
    content = hashlib.sha256(str(absolute).encode() + absolute.read_bytes()).hexdigest()[:12]
    name = f"neraca_file_{absolute.stem}_{content}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, absolute)
    if spec is None or spec.loader is None:
        raise InputError(say("{path}: not a Python file; its name must end in .py", path=path))
    if str(absolute.parent) not in sys.path:
        sys.path.insert(0, str(absolute.parent))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the message names the file, whatever its code raises
        del sys.modules[name]
        if isinstance(error, SpecError):
            raise
        raise InputError(
            say("{path}: cannot be loaded: {kind}: {error}", path=path, kind=type(error).__name__, error=error)
        ) from error
    return module
