"""Counts, measures, intervals, ratings and reports, held against arithmetic done by hand."""
