"""``python -m parlour`` is the same as ``parlour``."""

from parlour.cli.app import main

main()
