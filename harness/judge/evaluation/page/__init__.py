"""What the report on the judge says: its targets, tables and plots."""
