"""``python -m parlour`` is the same as ``parlour``."""

from parlour.cli import main

main()
