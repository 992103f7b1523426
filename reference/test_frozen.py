"""Old implementations that reports still show as "before" are frozen: what was measured against
them would no longer hold. A new file is added here; none is edited."""

import hashlib
import pathlib

import pytest

BEFORE = pathlib.Path(__file__).resolve().parent / "before"
FROZEN = {
    "activations.cpp": "f3476f6367a03a1ef195b74b2329aefd923e88d40077cd73cf7d2522478f137a",
    "adaptive_avgpool2d.cpp": "91e5c346f88e0117dfd111795a50de4e954ba0f22954708f3fc5bc2f26baebff",
    "conv1d.cpp": "7999cdd2368ee99e459bf3011f94f147c7a2116123f6042c73d98b5ba015299f",
    "conv2d.cpp": "a281a1d3e9e1f65c5e83d978c04c5623474098042babddebc5884eef388b59cc",
    "conv_parts.cpp": "cff0cb339dce469ba1a90632ecf5cd4ac37708a4a1f96d62010bc4c101139543",
    "conv_parts.h": "03fd3121835b97f47fe27ffc2265cdb2e7c99a50e21376e57866d48161c821c4",
    "conv_tensor_ops.cpp": "1050d729ab92cd6a17ec76225135488838efb0b5978e143dbb5691cc1c1d03fa",
    "dense.cpp": "6c1ad43e6055e6d211271f828b0ce618f7b5d93db68c588a960f0a96354c6766",
    "dropout.cpp": "36dfcd575ccadb164d456a37a90743fce266d637f21d11dee8af7e40b21a716b",
    "elementwise.cpp": "db012073bbce64441f2152a2250fe3ffcc2c769a04e22ebe392e64600c4e8d71",
    "elementwise.h": "09fdd115a6035174cd2307c735e595754c9ef9e7016c1fc466b28f20a0d6b10b",
    "embedding.cpp": "ce5693e84c872a483f0acc35607c5b8a9503109e4410e414c6c6764f1350c8c8",
    "gru.cpp": "8c75831bdaa53c0fb518f43fe923d7c3287708aeb53d9389b64f10b32ace508d",
    "lstm.cpp": "86ce39e5b4e3a1517b75a880848c53e5c24b3c6163634f50fed1cd850e6ebefa",
    "matmul.cpp": "7f85bb04d79b5458f949cadfb079e56bab326da5918bdc197460b8bbada903a0",
    "pools.cpp": "5954d7ec8dd709e6665eadc1922290896d1308b5f055a35a1a75365bc8243e0b",
    "pools_tensor_ops.cpp": "94b6af816bb3f6ae698ef09471328d09e955f8bcdd85a98b032018007d550582",
    "recurrent_parts.cpp": "db2e4def80bdf006cccf28b804f63b0d9c2883087e6762a7bc9702d30e03ecd9",
    "recurrent_parts.h": "e422fdaa3abefaaab45f1d0c257ed9bd5725b8910070242de53b3bb94033142c",
    "reductions.cpp": "653c37b91273deab9a7d63e40c7afcfef6bccffe8878808f2d757eac3acf9e1d",
    "rnn.cpp": "afb9ef614784880af8bfdded552511f4606632a899d3407a230f7d9dbb1ebbd4",
}


def test_all_are_listed():
    found = {path.name for path in BEFORE.iterdir() if path.suffix in (".cpp", ".h")}
    assert found == set(FROZEN)


@pytest.mark.parametrize("name", FROZEN)
def test_none_was_edited(name):
    assert hashlib.sha256((BEFORE / name).read_bytes()).hexdigest() == FROZEN[name]
