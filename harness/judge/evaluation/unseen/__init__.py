"""Scores data of others, as they are: CSV files, with or without a truth."""
