"""Three further generators of measurements with known truth, written from a description of what
machines do. They share no code and no number with noise.py, so a rule that was tuned on those
machines has not seen these."""

from . import bursts, heavy_tails, process_modes

GENERATORS = {
    "modes of processes": process_modes,
    "correlated with bursts": bursts,
    "heavy tails": heavy_tails,
}
