"""The grade of a document that nobody judged."""

from __future__ import annotations

from typing import Final

#: Listed among the judgments of a question, and judged by nobody, as in qrels of pools.
UNJUDGED: Final = -1
