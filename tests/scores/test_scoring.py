"""Blocks of a large input: the memory of each is freed, and what was there before is left alone."""

import gc
import subprocess
import sys

from neraca.scores.scoring import one_by_one

PROGRAM = """
import gc
from neraca.scores.scoring import one_by_one

class Block:
    alive = 0
    def __init__(self):
        self.itself = self
        Block.alive += 1
    def __del__(self):
        Block.alive -= 1

heap = [[number] for number in range(100_000)]
alive, seen = [], []
for block in one_by_one(Block() for _ in range(3)):
    alive.append(Block.alive)
    seen.append(len(gc.get_objects()) < 100_000)
    del block
print(alive, seen, gc.get_freeze_count(), len(gc.get_objects()) > 100_000)
"""


def test_each_block_is_freed_and_nothing_else_is_looked_through():
    printed = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert printed.split("\n")[0] == "[1, 1, 1] [True, True, True] 0 True"


def test_what_a_process_froze_itself_stays_frozen():
    gc.freeze()
    frozen = gc.get_freeze_count()
    assert list(one_by_one([1, 2])) == [1, 2]
    assert gc.get_freeze_count() == frozen
