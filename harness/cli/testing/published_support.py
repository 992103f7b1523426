"""A file of published values and the suite that shows them, for tests."""

NAMES = (
    "system,document,version,machine,case,role,here,ns_per_op,allocs_per_op,bytes_per_op,metric,"
    "value,unit,note\n"
)
LINE = "relu pass=forward n=100 range=-3:3"
SUITE = f"""[report]
name = "one"
title = "One"
form = "before_after"
before = "elementwise"
after = "hwy"
[[cases]]
label = "ReLU"
case = "{LINE}"
"""
