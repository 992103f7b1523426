"""Lines of JSON as columns and back."""

import json
import lzma
import random

import columns
import pytest

MOST = 1 << 20


def lines_of(*objects):
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in objects)


def random_json(generator, depth=0):
    kind = generator.randrange(7 if depth < 3 else 5)
    if kind == 0:
        return generator.randrange(-(10**9), 10**9)
    if kind == 1:
        return generator.uniform(-1, 1) * 10 ** generator.randrange(-20, 20)
    if kind == 2:
        return "".join(generator.choice('ab"\\:,\n\x00\x01{}[]é0-1.e ') for _ in range(6))
    if kind in (3, 4):
        return generator.choice([None, True, False, "", 0])
    inner = [random_json(generator, depth + 1) for _ in range(generator.randrange(4))]
    return inner if kind == 5 else {f'k"{i}:': one for i, one in enumerate(inner)}


@pytest.mark.parametrize("seed", range(200))
def test_lines_come_back_byte_for_byte(seed):
    generator = random.Random(seed)
    text = lines_of(*(random_json(generator) for _ in range(generator.randrange(12))))
    assert columns.to_lines(columns.to_columns(text), MOST) == text


@pytest.mark.parametrize("text", ["", "\n", "\n\n", "{", '"', "1", 'a "b', "é\\", "-.e5 1e 2"])
def test_what_is_no_json_comes_back_too(text):
    assert columns.to_lines(columns.to_columns(text), MOST) == text


def test_lines_with_control_characters_are_refused():
    for text in ("\0", 'x\x01"'):
        with pytest.raises(ValueError, match="control character"):
            columns.to_columns(text)


def test_alike_lines_pack_smaller_as_columns():
    generator = random.Random(1)

    def line(number):
        wall = generator.randrange(2000, 2100)
        times = {"wall_ns": [wall * 1000], "cpu_ns": [(wall + generator.randrange(3)) * 1000]}
        place = {"slot": number, "row": {"case": f"relu n={generator.randrange(99)}", "threads": 1}}
        return {**place, "check": generator.choice([1.5e-7, 2.5e-7]), "samples": times}

    text = lines_of(*map(line, range(4000)))
    plain, packed = (len(lzma.compress(t.encode())) for t in (text, columns.to_columns(text)))
    assert packed < 0.75 * plain


def test_values_that_repeat_and_numbers_near_the_ones_before_are_not_written_again():
    text = lines_of(
        *({"case": "relu", "wall": 10**9 + i, "cpu": 10**9 + i - 3} for i in range(9))
    )
    assert columns.to_columns(text).split("\x01")[3:6] == [
        '"relu"' + "\n" * 8,
        "\n".join(str(10**9 + i) for i in range(9)),
        "-\n-3" + "\n" * 8,
    ]


def test_numbers_that_are_not_written_as_a_whole_number_is_come_back():
    texts = ["0", "-0", "00", "007", "1.0", "1e3", "9" * 15, "9" * 16, "9" * 400, '"5"', "-5"]
    text = "".join(f'{{"a":{a},"b":{b}}}\n' for a in texts for b in texts)
    assert columns.to_lines(columns.to_columns(text), MOST) == text
    for a in texts:
        for b in texts:
            same = f'{{"a":{a},"b":{b}}}\n' * 9
            assert columns.to_lines(columns.to_columns(same), MOST) == same


def test_columns_as_they_were_first_written_are_read():
    text = '{"a":1,"b":""}\n{"a":2,"b":"x"}'
    first = "\x01".join(["nsop.columns/1", '{"a":\0,"b":\0}', "0 0", "1\n2", '""\n"x"'])
    assert columns.is_columns(first)
    assert columns.to_lines(first, MOST) == text


def test_damage_is_refused_or_gives_other_lines():
    text = lines_of(*({"a": i, "b": "x"} for i in range(20)), {"c": 1})
    whole = columns.to_columns(text)
    refused = 0
    for i in range(len(whole)):
        for damaged in (whole[:i], whole[:i] + chr(ord(whole[i]) ^ 1) + whole[i + 1 :]):
            try:
                assert columns.to_lines(damaged, MOST) != text
            except ValueError:
                refused += 1
    assert refused > 0


def test_a_column_too_many_or_too_few_is_refused():
    whole = columns.to_columns(lines_of({"a": 1, "b": ""}))
    for damaged in (whole[: whole.rindex("\x01")], whole + "\x01"):
        with pytest.raises(ValueError, match="not a column for each place"):
            columns.to_lines(damaged, MOST)


def test_what_unpacks_to_too_much_is_refused():
    long_line = columns.to_columns(lines_of({"a" * 1000: None}).rstrip("\n"))
    bomb = long_line + " 0" * 2000  # the line, with no value in it, 2001 times
    assert len(bomb) < MOST // 100
    with pytest.raises(ValueError, match="more than 1 MiB"):
        columns.to_lines(bomb, MOST)
    assert columns.to_lines(bomb, 4 * MOST).count("a" * 1000) == 2001


def test_a_value_repeated_to_too_much_is_refused():
    bomb = columns.to_columns(lines_of(*({"a": "x" * 1000} for _ in range(2000))).rstrip("\n"))
    assert len(bomb) < MOST // 100
    with pytest.raises(ValueError, match="more than 1 MiB"):
        columns.to_lines(bomb, MOST)


@pytest.mark.parametrize(
    ("column", "refusal"), [("-\nx\ny", "no whole number"), ("-\n1", "too short"), ("-", "short")]
)
def test_differences_that_are_none_are_refused(column, refusal):
    whole = "\x01".join([columns.MARK, '{"a":\0,"b":\0}', "0 0", "1\n2", column])
    with pytest.raises(ValueError, match=refusal):
        columns.to_lines(whole, MOST)


def test_more_lines_than_values_are_refused():
    two = columns.to_columns('{"a":1}\n{"a":2}')
    with pytest.raises(ValueError, match="too short"):
        columns.to_lines(two.replace("\x010 0\x01", "\x010 0 0\x01"), MOST)
