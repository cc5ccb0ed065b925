"""Names of models: which name in an answer is that of another model than the asked one.

Providers answer under another name than they are asked by, though the model is the same one. These
are taken for one model, since they name one:

- whatever stands before the last "/", case, and the separators "-", "_", ":", "@" and ".", in
  which providers differ (``openai/gpt-4o``, ``claude-3.5-sonnet`` and ``claude-3-5-sonnet``);
- a name with a snapshot, a date or a number of three digits or more, and the name without one,
  which stands for the newest (``gpt-4o`` and ``gpt-4o-2024-08-06``); two snapshots are two models;
- a minor version 0 and none (``claude-sonnet-4-0`` and ``claude-sonnet-4-20250514``), and the
  order of words (``claude-4-sonnet``);
- words for a stage or a price (``latest``, ``preview``, ``exp``, ``:free``), of which providers
  redirect one to the other; ``gemini-flash-latest`` stands for any version too;
- what Amazon Bedrock adds: a region, the vendor, and a revision such as ``-v1:0``
  (``us.anthropic.claude-sonnet-4-20250514-v1:0``); two revisions are two models;
- a deployment of Azure, whose name its owner chooses, an inference profile of one's own, and a
  choice that is left to the provider (``openrouter/auto``): no answer to these is another model.

Sizes, families and quantisations (``mini``, ``70b``, ``turbo``) always tell models apart.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_ANY_MODEL = re.compile(r"azure/|(?:openrouter/)+(?:auto|free)$|.*application-inference-profile/")
"""Names that name no model."""
_SPELLINGS = {"gpt-35": "gpt-3.5", "gpt-4-turbo-preview": "gpt-4-preview"}
"""Beginnings of names, each with the one by which the snapshots of that model are called."""
_REGION = re.compile(r"(?:us-gov|us|eu|apac|jp|au|ca|sa|global)\.(?=[a-z0-9]+\.)")
_VENDOR = re.compile(
    r"(?:ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|moonshotai"
    r"|nvidia|openai|qwen|stability|twelvelabs|writer|zai)\."
)
_REVISION = re.compile(r"-(?:v(\d+(?:[.:]\d+)*)|(\d+:\d+))(?::\d+k)?$")
_MONTH, _DAY, _YEAR = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])", r"20\d\d"
_SNAPSHOT = re.compile(
    rf"(?<![^-_:@])(?:{_YEAR}-{_MONTH}-{_DAY}|{_MONTH}-{_YEAR}|{_MONTH}-{_DAY}|\d{{8}}|\d{{6}}"
    r"|\d{3,4})(?![^-_:@])"
)
_STAGES = {"latest", "preview", "exp", "experimental", "beta", "default", "free", "nitro", "floor"}
_LATEST = "latest"


class _Name(NamedTuple):
    """The parts of a model's name; the snapshot and the revision are "" where it has none."""

    words: tuple[str, ...]
    snapshot: str
    revision: str
    is_latest: bool


@lru_cache(maxsize=1024)  # every answer has a name
def is_other_model(asked: str, answered_by: str) -> bool:
    """Returns True if the name in an answer is that of another model than the asked one."""
    if _ANY_MODEL.match(asked.lower()):
        return False
    one, other = _parts(asked), _parts(answered_by)
    if one.words != other.words and not (_is_version_of(one, other) or _is_version_of(other, one)):
        return True
    if one.snapshot not in other.snapshot and other.snapshot not in one.snapshot:
        return True  # a date may lack its year
    return bool(one.revision and other.revision) and one.revision != other.revision


def _parts(name: str) -> _Name:
    base = name.lower().rstrip("/").rpartition("/")[2]
    base = _VENDOR.sub("", _REGION.sub("", base, count=1), count=1)
    for spelling, usual in _SPELLINGS.items():
        if base.startswith(spelling):
            base = usual + base.removeprefix(spelling)
    snapshots = "".join(_SNAPSHOT.findall(base)).replace("-", "")
    base = re.sub(r"[-_:@]+(?=$|[-_:@])", "", _SNAPSHOT.sub("", base))
    revision = _REVISION.search(base)
    if revision is not None:
        base = base[: revision.start()]
    words = [word for word in re.split(r"[-_:@.]+", base) if word]
    named = [word for word in words if word not in _STAGES]
    whole = [
        word
        for before, word in zip(["", *named], named, strict=False)
        if word != "0" or not before.isdecimal()
    ]
    version = "" if revision is None else (revision[1] or revision[2])
    version = re.sub(r"[.:]0$", "", version.replace(":", "."))
    return _Name(tuple(sorted(whole)), snapshots, version, _LATEST in words)


def _is_version_of(alias: _Name, other: _Name) -> bool:
    """True if a name without a version that ends in "latest" stands for the other one."""
    more = list(other.words)
    for word in alias.words:
        if word not in more:
            return False
        more.remove(word)
    return alias.is_latest and all(word.isdecimal() for word in more)
