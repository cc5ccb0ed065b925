"""The packages of the extra ``stats``, imported where a regression is made."""

import sys
from typing import Any

from parlour.games.common.errors import BadInput


def regressions() -> Any:
    """Returns the module statsmodels.api. BadInput that says how to install it if it is missing."""
    try:
        import statsmodels.api as models
    except ModuleNotFoundError:
        fix = f"install it: {sys.executable} -m pip install statsmodels"
        raise BadInput("regressions", "need the package statsmodels", fix) from None
    return models
