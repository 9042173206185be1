"""Read TREC preferences: for each query, levels of documents by which somebody prefers one to another.

Lines are query, group, subgroup, document, level.  A group is a person at one time; a subgroup is a list of documents
that were compared with each other.  Qrels are preferences too: their second column is the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from neraca.datasets.trec.line_blocks import QRELS, line_blocks
from neraca.datasets.trec.qrels import Qrels

PREFERENCES = ("query", "group", "subgroup", "document", "level")

#: Subgroup → document → level.
Lists = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class PreferenceFile:
    """Preferences by query and group.

    Attributes
    ----------
    groups
        Query → group → subgroup → document → level.
    source
        Their source, for messages.
    """

    groups: Mapping[str, Mapping[str, Lists]]
    source: str

    @classmethod
    def read(cls, path: Path, *, qrels: bool = False) -> PreferenceFile:
        """Read a file of preferences, or with `qrels` a file of judgments as preferences.

        Raise `InputError` if the file cannot be read, a line is malformed, or a document occurs twice in a subgroup;
        the error names the line.
        """
        names = QRELS if qrels else PREFERENCES
        groups: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
        for block in line_blocks(path):
            tidy, columns = block.columns(names)
            levels = tidy.read(float, columns[-1], names[-1])
            if qrels:
                columns.insert(2, ["0"] * len(levels))
            for row, (query, group, subgroup, document) in enumerate(zip(*columns[:4], strict=True)):
                level_by_document = groups.setdefault(query, {}).setdefault(group, {}).setdefault(subgroup, {})
                if document in level_by_document:
                    place = f"{group}, {subgroup}" if not qrels else group
                    tidy.fail(row, f"query {query!r} has the document {document!r} twice in the group {place}")
                level_by_document[document] = levels[row]
        return cls(groups, str(path))

    def judged(self) -> Qrels:
        """Return each judged document with the highest level that any group gave it, sorted by id."""
        highest: dict[str, dict[str, float]] = {}
        for query, groups in self.groups.items():
            documents = highest.setdefault(query, {})
            for lists in groups.values():
                for levels in lists.values():
                    for document, level in levels.items():
                        documents[document] = max(level, documents.get(document, level))
        return Qrels({query: dict(sorted(levels.items())) for query, levels in highest.items()}, source=self.source)
