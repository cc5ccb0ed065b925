"""Benchmarks of the program: `make bench`, or `python -m tests.benchmarks [NAME ...]`.

A bench is a function in one of the modules listed in ``__main__`` that is marked with ``bench``
and yields its readings. Nothing fails for being slow: a table shows the aims beside.
"""
