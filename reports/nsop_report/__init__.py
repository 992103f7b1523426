"""Draws a report model (nsop.report/1) as Markdown and PNG plots; decides nothing."""
