"""The offline site: from a model (NDJSON, schema nsop.site/1) to a folder of static pages."""
