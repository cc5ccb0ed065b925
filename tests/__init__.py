"""The tests: one folder a room, and what crosses the rooms."""

import os

# Before numpy is imported anywhere. Threads of its linear algebra library spin on busy cores, and
# one does as well on small matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
