"""The game 2048 and the replay buffer of the DQN workload (docs/dqn.md), for Python peers.

A board is an integer of sixteen 4-bit exponents, cell 0 (row-major) in the lowest; moves go by
tables of all rows.
"""

import functools

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
TILE, EXPLORE, REPLAY = range(3)
CAPACITY, BATCH = 1000, 32
UP, DOWN, LEFT, RIGHT = range(4)


def _mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Draws:
    """Draw number i of a purpose."""

    def __init__(self, seed, purpose):
        self._key = _mix((seed + GOLDEN * (purpose + 1)) & MASK)

    def at(self, i):
        return _mix((self._key + GOLDEN * (i + 1)) & MASK)


def below(draw, count):
    """The upper half of a draw as a number in [0, count)."""
    return ((draw >> 32) * count) >> 32


def fraction(draw):
    """The lower half of a draw in [0, 1)."""
    return (draw & 0xFFFFFFFF) * 2.0**-32


def _slide_row(row):
    tiles, out, reward, may_merge = [(row >> shift) & 15 for shift in (0, 4, 8, 12)], [], 0, False
    for tile in filter(None, tiles):
        if may_merge and out[-1] == tile and tile < 15:
            out[-1] += 1
            reward += 1 << out[-1]
            may_merge = False
        else:
            out.append(tile)
            may_merge = True
    return sum(tile << (4 * i) for i, tile in enumerate(out)), reward


def _reversed(row):
    return (row >> 12) | ((row >> 4) & 0xF0) | ((row << 4) & 0xF00) | ((row << 12) & 0xF000)


@functools.cache
def _tables():
    """(row, reward) of every row slid to its first and to its last cell."""
    first = [_slide_row(row) for row in range(1 << 16)]
    last = [(_reversed(first[r][0]), first[r][1]) for r in map(_reversed, range(1 << 16))]
    return first, last


def _transposed(b):
    b = (
        (b & 0xF0F00F0FF0F00F0F)
        | ((b & 0x0000F0F00000F0F0) << 12)
        | ((b & 0x0F0F00000F0F0000) >> 12)
    )
    return (
        (b & 0xFF00FF0000FF00FF)
        | ((b & 0x00FF00FF00000000) >> 24)
        | ((b & 0x00000000FF00FF00) << 24)
    )


def _slide_rows(board, table):
    a, b = table[board & 0xFFFF], table[(board >> 16) & 0xFFFF]
    c, d = table[(board >> 32) & 0xFFFF], table[board >> 48]
    slid = a[0] | (b[0] << 16) | (c[0] << 32) | (d[0] << 48)
    return slid, a[1] + b[1] + c[1] + d[1]


def moves_of(board):
    """[(direction, board, reward)] of the directions that change the board, without new tiles."""
    first, last = _tables()
    found, columns = [], _transposed(board)
    for direction, source, table in (
        (UP, columns, first),
        (DOWN, columns, last),
        (LEFT, board, first),
        (RIGHT, board, last),
    ):
        slid, reward = _slide_rows(source, table)
        if slid != source:
            found.append((direction, _transposed(slid) if direction < LEFT else slid, reward))
    return found


class Game:
    """One game after another from one stream of tiles."""

    def __init__(self, seed):
        _tables()
        self._tiles, self._drawn = Draws(seed, TILE), 0
        self.board, self.score, self.moves = 0, 0, []

    def start(self):
        self.board, self.score = 0, 0
        self._add_tile()
        self._add_tile()
        self.moves = moves_of(self.board)

    def move(self, move):
        """Makes one of self.moves; returns the reward."""
        _, self.board, reward = move
        self._add_tile()
        self.moves = moves_of(self.board)
        self.score += reward
        return reward

    def _add_tile(self):
        draw = self._tiles.at(self._drawn)
        self._drawn += 1
        empty = [shift for shift in range(0, 64, 4) if not (self.board >> shift) & 15]
        self.board |= (1 if fraction(draw) < 0.9 else 2) << empty[below(draw, len(empty))]


def tiles(board):
    """The values of the sixteen cells."""
    return [(1 << e) & ~1 for e in [(board >> shift) & 15 for shift in range(0, 64, 4)]]


class Replay:
    """The latest CAPACITY experiences (state, action, reward, next state, done)."""

    def __init__(self):
        self._places, self._added = [], 0

    def add(self, experience):
        if len(self._places) < CAPACITY:
            self._places.append(experience)
        else:
            self._places[self._added % CAPACITY] = experience
        self._added += 1

    def batch(self, draws, call):
        size = len(self._places)
        return [self._places[below(draws.at(call * BATCH + i), size)] for i in range(BATCH)]
