"""Draw the floors of the house as `docs/floors.svg`: from the imports of the code and the layers in `pyproject.toml`.

Run `python docs/draw_floors.py` after a room is added or renamed; a test compares the picture with the code.
"""

from __future__ import annotations

import ast
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "neraca"
PICTURE = ROOT / "docs" / "floors.svg"
WIDTH, HEIGHT, GAP, FLOOR = 1000, 36, 14, 64
STYLE = (
    "text{font:13px sans-serif;fill:#1d2733}"
    "rect{fill:#e8f1f8;stroke:#5b8db8}path{fill:none;stroke:#5b6875;opacity:.28}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#1b2b3a;stroke:#5b8db8}}"
)


def floors() -> list[list[str]]:
    """Return the rooms of each floor, the uppermost floor first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [[room.strip() for room in layer.split("|")] for layer in contracts[0]["layers"]]


def files_of(room: str) -> list[Path]:
    """Return the files of a room: those of a folder, or one file."""
    return sorted((SOURCE / room).rglob("*.py")) or [SOURCE / f"{room}.py"]


def imports(rooms: list[str]) -> set[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports the second."""
    pairs: set[tuple[str, str]] = set()
    for room in rooms:
        for path in files_of(room):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("neraca"):
                    continue
                names = [alias.name for alias in node.names] if node.module == "neraca" else [node.module.split(".")[1]]
                pairs.update((room, name) for name in names if name in rooms and name != room)
    return pairs


def draw() -> str:
    """Return the picture: a box for each room, and a line from each room to those that it imports."""
    places: dict[str, tuple[float, float, float]] = {}
    rows = floors()
    for floor, rooms in enumerate(rows):
        widths = [max(76.0, 7.6 * len(room) + 16) for room in rooms]
        left = (WIDTH - sum(widths) - GAP * (len(rooms) - 1)) / 2
        for room, width in zip(rooms, widths, strict=True):
            places[room] = (left, 20.0 + floor * FLOOR, width)
            left += width + GAP
    parts = []
    for user, used in sorted(imports([*places])):
        (x, y, width), (to_x, to_y, to_width) = places[user], places[used]
        start, end, middle = x + width / 2, to_x + to_width / 2, (y + HEIGHT + to_y) / 2
        line = f"M{start:.0f} {y + HEIGHT:.0f}C{start:.0f} {middle:.0f} {end:.0f} {middle:.0f} {end:.0f} {to_y:.0f}"
        parts.append(f'<path d="{line}"><title>{user} imports {used}</title></path>')
    for room, (x, y, width) in places.items():
        parts.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{HEIGHT}" rx="6"/>')
        parts.append(f'<text x="{x + width / 2:.0f}" y="{y + 23:.0f}" text-anchor="middle">{escape(room)}</text>')
    height = 20 + len(rows) * FLOOR
    title = "<title>The floors of the house: a room imports only from floors below it</title>"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">{title}'
    return "\n".join([f"{head}<style>{STYLE}</style>", *parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
