"""The report of a save: one HTML page with every figure, to read without Parlour or a network.

Begin with ``page.py``, which fills the template. ``source.py`` reads the save once; each section
has a module that turns it into figures (``figures.py``), drawn by ``charts.py`` and ``boards.py``
with the elements of ``svg.py``. All texts pass through Jinja's autoescape.
"""
