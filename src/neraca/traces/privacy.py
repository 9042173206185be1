"""Keep personal data out of run folders: hash the ids of users, and mask what people typed."""

from __future__ import annotations

import hmac
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neraca.errors import InputError, SpecError
from neraca.files import write_atomic
from neraca.personal_data import MARKS, kind_of_integer, mask

#: The file of a run folder with the secret of its hashes of users.
SALT = "users.salt"


@dataclass
class Privacy:
    """The treatment of texts and ids before anything is written.

    Attributes
    ----------
    salt
        The secret of this run; the same user has another hash in another run.
    masks
        Whether e-mail addresses, telephone numbers and numbers of cards are masked.
    redact
        A function of the user that gets each text and returns what may be written.
    masked
        Kind of personal data → the number of places.
    """

    salt: bytes
    masks: bool = True
    redact: Callable[[str], str] | None = None
    masked: Counter[str] = field(default_factory=Counter)

    def user(self, name: object) -> str:
        """Return the hash of a user's id."""
        return hmac.new(self.salt, str(name).encode(errors="surrogatepass"), "sha256").hexdigest()[:16]

    def text(self, text: str) -> str:
        """Return a text with personal data masked, after the user's own function."""
        if self.redact is not None:
            try:
                text = self.redact(text)
            except Exception as error:
                raise SpecError(f"the function that redacts failed on a text ({type(error).__name__})") from error
            if not isinstance(text, str):
                raise SpecError(f"the function that redacts must return text, not {type(text).__name__}")
        if self.masks:
            text, masked = mask(text)
            self.masked += masked
        return text

    def id(self, name: str) -> str:
        """Return the id of a document, or its hash if it holds an e-mail address.

        Nothing else in an id is masked: two documents would have one id.
        """
        masked = mask(name)[1]["e-mail"] if self.masks else 0
        self.masked += Counter({"e-mail": masked})
        return self.user(name) if masked else name

    def value(self, value: Any) -> Any:
        """Return a value with every text in it masked, and whole numbers that are cards or telephones; keys as ids."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int) and not isinstance(value, bool) and self.masks and (kind := kind_of_integer(value)):
            self.masked[kind] += 1
            return MARKS[kind]
        if isinstance(value, Mapping):
            return {self.id(key): self.value(part) for key, part in value.items()}
        return [self.value(part) for part in value] if isinstance(value, list | tuple) else value


def read_salt(folder: Path | None) -> bytes:
    """Return the salt of a run folder, or a new one if it has none yet."""
    file = folder / SALT if folder else None
    if file is None or not file.is_file():
        return secrets.token_hex(16).encode()
    salt = file.read_bytes().strip()
    if len(salt) < 16:
        raise InputError(f"{file}: not a salt (32 hex digits); start anew with --anew")
    return salt


def write_salt(folder: Path, salt: bytes) -> None:
    """Keep the salt in the run folder, readable by its owner alone."""
    write_atomic(folder / SALT, salt + b"\n", mode=0o600)
