"""Scores the judge: synthetic and recorded measurements whose truth is known, its verdicts on them,
and those of the rules that other tools use."""
