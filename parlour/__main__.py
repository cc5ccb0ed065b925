"""Entry point of ``python -m parlour``, which is the same as ``parlour``."""

from parlour.cli.app import main

main()
