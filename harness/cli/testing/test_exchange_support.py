"""What stands for nsop in making digests writes fractions as they were read."""

import pytest

from harness.cli.testing.exchange_support import compact, lines_of


@pytest.mark.parametrize("text", ["0.1", "5e-05", "1.0", "9.313225746154786e-10", "2.50", "1E+2"])
def test_a_fraction_stays_as_it_is_written(text):
    line = f'{{"a":[{text},1,"{text}"],"b":"\\u00e9"}}'
    (parsed,) = lines_of(line)
    assert compact(parsed) == line.replace("\\u00e9", "é")
