"""The packages of the extra ``stats``, imported where a regression is made."""

from typing import Any

from parlour.games.common.packages import needing


def regressions() -> Any:
    """Returns the module statsmodels.api. BadInput that says how to install it if it is missing."""
    with needing("statsmodels", "regressions"):
        import statsmodels.api as models
    return models
