"""Names for things: `nDCG(gains=exp)@10` becomes a function with parameters, and back again.

A `Spec` is the printable name; a `Registry` is the shelf on which metrics, judges and targets stand.  What is
registered comes from the package itself, from installed plug-ins (entry points) and from files that a user names.
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

from neraca.errors import InputError, MissingExtra, SpecError, nearest

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
        """Read `NAME`, `NAME@K`, `NAME(value)` or `NAME(key=value, ...)@K`; raises `SpecError`."""
        found = _SPEC.fullmatch(text)
        if not found:
            raise SpecError(f"cannot read {text!r}; write NAME, NAME@K or NAME(key=value)@K")
        name, inside, at = found.groups()
        params: dict[str, Value] = {}
        values: list[Value] = []
        for part in _split(inside or "", text):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or "(" in key:
                values.append(_value(part))
            elif not key.isidentifier() or not value or key in params:
                raise SpecError(f"cannot read {part!r} in {text!r}; write key=value, each key once")
            else:
                params[key] = _value(value)
        if at is not None:
            if "at" in params:
                raise SpecError(f"{text!r} gives the cutoff twice")
            params["at"] = _value(at)
        return cls(name, params, tuple(values))

    def __str__(self) -> str:
        texts = {key: _text(value) for key, value in self.params.items()}
        after = "at" in texts and re.fullmatch(_CUTOFF, texts["at"])
        at = f"@{texts.pop('at')}" if after else ""
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
    """Split a list of names on white space and commas that stand outside parentheses.

    >>> split_specs("P@5 nDCG(gains=exp, rel=2)@10, RR")
    ['P@5', 'nDCG(gains=exp, rel=2)@10', 'RR']
    """
    joined = re.sub(r"\s*([(@])\s*", r"\1", text)
    return list(_split(joined, text, on=", \t\r\n"))


def _split(inside: str, whole: str, on: str = ",") -> Iterator[str]:
    depth, part = 0, ""
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter in on and depth == 0:
            if part.strip():
                yield part.strip()
            part = ""
        else:
            part += letter
    if depth:
        raise SpecError(f"the parentheses of {whole!r} do not match")
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
    """The parameters of a function, looked up once."""
    return inspect.signature(function).parameters


class Registry(Generic[T]):
    """A shelf of things of one kind, found by name.

    Parameters
    ----------
    kind
        What stands here, for messages: "metric", "judge", "target".
    home
        The package whose modules register the built-in things when they are imported; where its `HOME` says which
        module that is, or the module is called as the thing, no other is imported.  Installed plug-ins register
        theirs through entry points of the group of the same name (`neraca.metrics`, …).
    """

    def __init__(self, kind: str, home: str) -> None:
        self.kind = kind
        self._home = home
        self._known: dict[str, T] = {}
        self._source: dict[str, str] = {}
        self._loaded = False

    def add(self, name: str, thing: T, source: str = "") -> None:
        """Shelve `thing` under `name`; a name is given once, unless the same source gives it again."""
        if name in self._known and (not source or self._source[name] != source):
            raise SpecError(f"{self.kind} {name!r} is registered already, by {self._source[name] or 'this program'}")
        home = getattr(sys.modules.get(self._home), "HOME", {})
        if name in home and not source.startswith(self._home):
            raise SpecError(f"{self.kind} {name!r} is one of {self._home}.{home[name]}; give yours another name")
        self._known[name] = thing
        self._source[name] = source

    def register(self, name: str) -> Callable[[T], T]:
        """Shelve what is decorated: `@TARGETS.register("http")`."""

        def shelve(thing: T) -> T:
            module, place = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", repr(thing))
            self.add(name, thing, f"{module}.{place}")
            return thing

        return shelve

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load()
        return sorted(self._known)

    def has(self, name: str) -> bool:
        """Whether a thing of exactly this name is here, without looking through installed plug-ins."""
        return name in self._known or name in getattr(importlib.import_module(self._home), "HOME", {})

    def get(self, name: str) -> T:
        """The thing called `name`; an unknown name raises `SpecError` with what is near to it."""
        if name not in self._known and (module := self._module_of(name)):
            importlib.import_module(module)
        if name not in self._known:
            self._load()
        if name not in self._known:
            raise SpecError(f"no {self.kind} is called {name!r}; {nearest(name, self.names())}")
        return self._known[name]

    def _module_of(self, name: str) -> str:
        place = getattr(importlib.import_module(self._home), "HOME", {}).get(name)
        if place is None and name.isidentifier() and importlib.util.find_spec(f"{self._home}.{name}"):
            place = name
        return f"{self._home}.{place}" if place else ""

    def _load(self) -> None:
        if self._loaded:
            return
        import pkgutil  # these two imports cost more than reading a small file, and are seldom needed
        from importlib.metadata import entry_points

        home = importlib.import_module(self._home)
        for found in pkgutil.walk_packages(home.__path__, f"{self._home}."):
            with suppress(MissingExtra):  # what needs an extra that is not installed is on no shelf
                importlib.import_module(found.name)
        for entry in entry_points(group=self._home):
            try:
                entry.load()
            except Exception as error:  # whatever the plug-in's code raises is told with its name
                package = entry.dist.name if entry.dist else "unknown"
                raise SpecError(
                    f"plug-in {entry.name!r} of package {package!r} ({entry.value}) cannot be loaded: "
                    f"{type(error).__name__}: {error}; mend or uninstall it"
                ) from error
        self._loaded = True


def bind(spec: Spec, function: Callable[..., object]) -> tuple[Spec, dict[str, Any]]:
    """Fit a spec's parameters to the keyword-only parameters of `function`.

    Required parameters are written as bare values in their order, the others as key=value; those equal to a
    default are neither printed nor passed, except a cutoff, so that `P` and `P@10` are both `P@10`.  A parameter such
    as `*metrics` takes all further bare values.  Returns the canonical spec and the keyword arguments, the further
    values under "*"; raises `SpecError`.
    """
    declared = parameters_of(function).values()
    takes = {p.name: p.default for p in declared if p.kind is p.KEYWORD_ONLY}
    several = any(p.kind is p.VAR_POSITIONAL for p in declared)
    required = [name for name, default in takes.items() if default is inspect.Parameter.empty]
    given = dict(spec.params)
    spare = [name for name in required if name not in given]
    if len(spec.values) > len(spare) and not several:
        raise SpecError(f"{spec}: cannot place {spec.values[len(spare)]!r}; {_signature(spec.name, takes)}")
    given.update(zip(spare, spec.values, strict=False))
    if missing := [name for name in required if name not in given]:
        raise SpecError(f"{spec} needs {missing[0]}; {_signature(spec.name, takes)}")
    if extra := sorted(given.keys() - takes.keys()):
        raise SpecError(f"{spec.name} has no parameter {extra[0]!r}; {_signature(spec.name, takes)}")
    for name in given:
        _check_type(spec, name, given[name], takes[name])
    always = {"at": takes["at"]} if isinstance(takes.get("at"), int) and takes["at"] > 0 else {}
    given = {**always, **given}
    shown = {name: given[name] for name in takes if name in given and (name in always or given[name] != takes[name])}
    optional = {name: value for name, value in shown.items() if name not in required}
    rest = spec.values[len(spare) :]
    bound = {**shown, **({"*": rest} if rest else {})}
    return Spec(spec.name, optional, (*(given[name] for name in required), *rest)), bound


def _check_type(spec: Spec, name: str, value: Value, default: object) -> None:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    cutoff = name == "at" and not isinstance(default, float)  # at=0.6 is a threshold
    if cutoff and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise SpecError(f"{spec}: the cutoff is a whole number from 1, not {value!r}")
    if isinstance(default, bool) != isinstance(value, bool) and isinstance(default, bool):
        raise SpecError(f"{spec}: {name} is true or false, not {value!r}")
    if value != value or (isinstance(default, int | float) and not isinstance(default, bool) and not numeric):
        raise SpecError(f"{spec}: {name} is a number, not {value!r}")
    if isinstance(default, str) and not isinstance(value, str):
        raise SpecError(f"{spec}: {name} is a word, not {value!r}")


def _signature(name: str, takes: Mapping[str, object]) -> str:
    parts = [key if default is inspect.Parameter.empty else f"{key}={default}" for key, default in takes.items()]
    return f"it takes {', '.join(parts)}" if parts else f"{name} takes no parameters"


def load_file(path: Path) -> ModuleType:
    """Run a user's Python file: what it decorates is registered, what it defines is in the module returned.

    The same content is run once; its folder can be imported from.  Raises `InputError`.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file (looked from {Path.cwd()})")
    import hashlib  # as the two above: only a user's own file needs it

    whole = path.resolve()
    content = hashlib.sha256(str(whole).encode() + whole.read_bytes()).hexdigest()[:12]
    name = f"neraca_file_{whole.stem}_{content}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, whole)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: not a Python file; its name must end in .py")
    if str(whole.parent) not in sys.path:
        sys.path.insert(0, str(whole.parent))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the user's code raises is told with its place
        del sys.modules[name]
        if isinstance(error, SpecError):
            raise
        raise InputError(f"{path}: cannot be loaded: {type(error).__name__}: {error}") from error
    return module
