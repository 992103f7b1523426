"""The rules of other tools, from their papers and documentation, and ours with wider intervals.
They are here to be compared with; no verdict of nsop comes from them."""

from . import e_divisive, hand_made, step_fit, t_test_window, u_test

# Of paired rounds, [rounds, 2 arms, repetitions]: worse, better or same.
GATE_RULES = {"U test, p < 0.05": u_test.verdict, "one run, 5 %": hand_made.by_one_run}

# Of a value a night: yields (night, [places of changes]). The first two cost microseconds a night.
POINT_RULES = {
    "previous night +10 %": hand_made.each_night(hand_made.is_above_previous),
    "mean +/- 3 SD": hand_made.each_night(hand_made.is_beyond_three_sd),
}
CHANGE_POINT_RULES = {
    "t test window (Perfherder)": t_test_window.nightly,
    "E-divisive (Otava, Hunter)": e_divisive.nightly,
    "step fit (asv)": step_fit.nightly,
}
