"""Draws a report model (nsop.report/1) as Markdown and SVG plots; decides nothing."""
