"""Scores the judge: synthetic and recorded measurements whose truth is known, the verdicts of the
judge on them, and the verdicts of the rules that other tools use."""
