"""Draws a report model (nsop.report/2) as Markdown and SVG plots; decides nothing."""
