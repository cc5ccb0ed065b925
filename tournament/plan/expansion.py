"""Tournament files as they are understood: includes, presets, defaults and the environment put in.

Every value is kept with its origin, for errors and for ``parlour plan --show``.
"""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.llm.keys import is_secret
from parlour.agents.registry import AGENT_KINDS
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.tournament.plan.toml_source import parsed, read_toml, with_line

PRESETS = Path(__file__).parent / "presets"
SHARED = ("parameters", "for_ask", "cache")
"""Keys of a file that every model in it has unless its block overrides them."""
FILE_KEYS = {"agents", *SHARED, "limits", "budget"}
"""Keys that a file of agents may have."""
BLOCKS = ("agents", "games", "limits")
"""Lists of blocks: those of an included file stand before a file's own."""
PATHS = ("clue_bank", "prompts", "function", "settings")
"""Keys that name a file, relative to the file in which they stand."""
COMMAND_LINE = "--set"
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)(?::-([^{}]*))?\}")
_STEP = re.compile(r"[^.\[\]]+")
DEEPEST = 10
"""Files that include one another."""


class ValueOrigin(NamedTuple):
    """The file of a value, the path in it, and the variables of the environment in the value."""

    file: str
    path: str
    variables: tuple[str, ...] = ()


class Value(NamedTuple):
    """A value that is no table, with its origin."""

    value: Any
    origin: ValueOrigin


Tree = dict[str, Any]
"""A table whose values are ``Value``, tables, or lists of tables."""


def preset_names() -> list[str]:
    """The names of the presets that ship."""
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


@dataclass
class Expanded:
    """The content of a file with everything put in.

    ``origins`` are those of its values, by path. ``files`` are the other files that were read,
    ``variables`` the values of the environment that were put in.
    """

    path: Path
    content: Tree = field(default_factory=dict)
    origins: dict[str, ValueOrigin] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)

    def refused(self, refusal: BadInput) -> BadInput:
        """The error with the file, the line and the path at which its value was written."""
        place = refusal.place.removeprefix(str(self.path)).removeprefix(": ")
        wanted = place
        while wanted and wanted not in self.origins:
            wanted = re.sub(r"(\.[^.\[\]]*|\[\d+\])$", "", wanted) if "." in wanted else ""
        origin = self.origins.get(wanted or place.partition(".")[0])
        if origin is None or (origin.file, origin.path) == (str(self.path), wanted):
            return with_line(refusal, str(self.path), self.texts.get(str(self.path), ""))
        its = f"{origin.file}: {origin.path}{place.removeprefix(wanted)}"
        moved = BadInput(its, refusal.problem, refusal.fix)
        return with_line(moved, origin.file, self.texts.get(origin.file, ""))

    def where(self, path: str) -> str:
        """The place of a value in words: its file with the line, and its variables; "" if none."""
        origin = self.origins.get(path)
        if origin is None:
            return ""
        text = self.texts.get(origin.file, "")
        placed = with_line(BadInput(f"{origin.file}: {origin.path}", "", ""), origin.file, text)
        place = os.path.relpath(placed.place) if origin.file[0] == "/" else placed.place
        place = place.removesuffix(f": {origin.path}")
        above = "" if origin.path.partition(".")[0] != "defaults" else f", {origin.path}"
        return ", ".join([place + above, *(f"${{{name}}}" for name in origin.variables)])

    def text(self) -> str:
        """The content as a tournament file, with the origin of each value behind it."""
        return "\n".join(self._lines(self.content, "", "")) + "\n"

    def _lines(self, table: Tree, path: str, head: str) -> Iterator[str]:
        import tomlkit  # slow, and no other command needs it

        inside = {key: each for key, each in table.items() if isinstance(each, dict)}
        blocks = {key: each for key, each in table.items() if _is_blocks(each)}
        for key in [key for key in table if key not in inside and key not in blocks]:
            where = self.where(f"{path}.{key}" if path else key)
            yield f"{_key(key)} = {tomlkit.item(table[key]).as_string()}  # {where}"
        for key, each in inside.items():
            yield from ("", f"[{head}{_key(key)}]")
            yield from self._lines(each, f"{path}.{key}" if path else key, f"{head}{_key(key)}.")
        for key, of_key in blocks.items():
            for number, block in enumerate(of_key):
                yield from ("", f"[[{head}{_key(key)}]]")
                at = f"{path}.{key}" if path else key
                yield from self._lines(block, f"{at}[{number}]", f"{head}{_key(key)}.")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key, ensure_ascii=False)


def expanded(path: Path, settings: Sequence[str] = ()) -> Expanded:
    """Reads a file with all that it names. BadInput naming the file, the line, value and fix.

    ``settings`` are those of the command line, each ``key=value``.
    """
    made = Expanded(path)
    tree = _FileReader(made).file(path, path.parent, ())
    return _finished(made, tree, settings)


def expanded_preset(name: str, place: str, settings: Sequence[str] = ()) -> Expanded:
    """The same of a preset that ships."""
    made = Expanded(Path(f"preset {name}"))
    return _finished(made, _FileReader(made).shipped(name, place), settings)


def expanded_content(raw: Mapping[str, Any], place: str, settings: Sequence[str] = ()) -> Expanded:
    """The same of plain data in a file's form, which may name a preset that ships."""
    made = Expanded(Path(place))
    tree = {key: _located(value, place, key) for key, value in raw.items()}
    _refuse_defaults(tree.get("defaults"), f"{place}: defaults")
    if "preset" in tree:
        name = plain(tree.pop("preset"))
        tree = _with_preset(tree, _FileReader(made).shipped(name, f"{place}: preset"))
    return _finished(made, tree, settings)


def _finished(made: Expanded, tree: Tree, settings: Sequence[str]) -> Expanded:
    for setting in settings:
        _set(tree, setting)
    defaults = tree.pop("defaults", {})
    if defaults and isinstance(tree.get("agents"), list):
        tree["agents"] = [_filled(block, defaults) for block in tree["agents"]]
    made.content = plain(tree)
    made.origins = dict(_origins(tree, ""))
    return made


def plain(tree: Any) -> Any:
    """The values of a tree without their origins."""
    if isinstance(tree, Value):
        return tree.value
    if isinstance(tree, dict):
        return {key: plain(value) for key, value in tree.items()}
    return [plain(each) for each in tree]


def _origins(tree: Any, path: str) -> Iterator[tuple[str, ValueOrigin]]:
    """Yields the path and the origin of every value, and of every block the first one."""
    if isinstance(tree, Value):
        yield path, tree.origin
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield from _origins(value, f"{path}.{key}" if path else key)
    else:
        for number, block in enumerate(tree):
            inside = list(_origins(block, f"{path}[{number}]"))
            own = next((each for at, each in inside if "[" in each.path), None)
            if own is not None:
                head = re.sub(r"(\[\d+\]).*", r"\1", own.path)
                yield f"{path}[{number}]", own._replace(path=head, variables=())
            yield from inside


def _is_blocks(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


PutIn = Callable[[Any, str, list[str]], Any]
"""Puts the environment into a value at a place, and adds the names of its variables to a list."""


def _located(value: Any, file: str, path: str, put_in: PutIn | None = None) -> Any:
    """A value of a file as a tree."""
    if isinstance(value, dict):
        return {key: _located(each, file, f"{path}.{key}", put_in) for key, each in value.items()}
    if _is_blocks(value):
        return [_located(each, file, f"{path}[{n}]", put_in) for n, each in enumerate(value)]
    names: list[str] = []
    if put_in is not None:
        value = put_in(value, f"{file}: {path}", names)
    return Value(value, ValueOrigin(file, path, tuple(dict.fromkeys(names))))


def _merged(below: Tree, above: Tree, blocks: tuple[str, ...] = ()) -> Tree:
    """Two tables with those in them as one, the upper one first; lists of ``blocks`` are joined."""
    merged = {**below, **above}
    for key in below.keys() & above.keys():
        one, other = below[key], above[key]
        if isinstance(one, dict) and isinstance(other, dict):
            merged[key] = _merged(one, other)
        elif key in blocks and isinstance(one, list) and isinstance(other, list):
            known = plain(one)
            merged[key] = [*one, *(each for each in other if plain(each) not in known)]
    return merged


def _refuse_defaults(defaults: Any, place: str) -> None:
    """BadInput for defaults of anything but agents, and for a name that all would have."""
    if defaults is None:
        return
    of_agent = defaults.get("agent") if isinstance(defaults, dict) else None
    if not isinstance(of_agent, dict) or len(defaults) > 1:
        fix = "write [defaults.agent], or for a kind [defaults.agent.llm]"
        raise BadInput(place, "are of agents alone", fix)
    if any("name" in each for each in (of_agent, *of_agent.values()) if isinstance(each, dict)):
        raise BadInput(f"{place}.agent.name", "would be that of every agent", "leave it out")


def _filled(block: Tree, defaults: Tree) -> Tree:
    """The block of an agent with the defaults of every agent, and of those of its kind."""
    of_agent = defaults.get("agent", {})
    if not isinstance(block, dict):
        return block
    kinds = {key: each for key, each in of_agent.items() if _is_kind(key, each)}
    every = {key: value for key, value in of_agent.items() if key not in kinds}
    kind = plain({**every, **block}.get("kind", Value("scripted", ValueOrigin("", ""))))
    its = kinds.get(kind, {}) if isinstance(kind, str) else {}
    return _merged(_merged(every, its), block)


def _is_kind(key: str, value: Any) -> bool:
    return key in AGENT_KINDS and isinstance(value, dict)


def _with_preset(raw: Tree, preset: Tree) -> Tree:
    """Returns a file's content with its missing keys filled in from a preset.

    A preset's defender stays with a file's own agents, unless the file names another one or
    another schedule.
    """
    merged = {**preset, **raw}
    content = plain(merged)
    defender = plain(preset["defender"]) if "defender" in preset else None
    if defender is None or content["defender"] != defender:
        return merged
    if content.get("schedule") != "challenger":
        if "defender" not in raw:
            del merged["defender"]
        return merged
    agents = content["agents"]
    if not isinstance(agents, list) or not all(isinstance(agent, dict) for agent in agents):
        return merged  # refused where the agents are read
    if not any(agent.get("name") == defender for agent in agents):
        own = [each for each in preset["agents"] if plain(each).get("name") == defender]
        merged["agents"] = [*merged["agents"], *own]
    return merged


def _set(tree: Tree, setting: str) -> None:
    """Puts ``key=value`` of the command line into a tree; the value is TOML, or else a text."""
    path, equals, text = setting.partition("=")
    path = path.strip()
    place, fix = f"{COMMAND_LINE} {path}", "write key=value, such as repetitions=2"
    if not (equals and path):
        raise BadInput(f"{COMMAND_LINE} {setting}", "is no setting", fix)
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text
    at: Any = tree
    *steps, last = _STEP.findall(path)
    for step in steps:
        if isinstance(at, list):
            names = [str(plain(block).get("name")) for block in at]
            number = int(step) if step.isdecimal() else [*names, step].index(step)
            if number >= len(at):
                raise BadInput(place, f"there is no block {step!r}", suggestion(step, names))
            at = at[number]
        else:
            at = at.setdefault(step, {}) if isinstance(at, dict) else None
    if not isinstance(at, dict):
        raise BadInput(place, "is no key", "name a key, such as agents.NAME.model")
    at[last] = _located(value, COMMAND_LINE, path)


class _FileReader:
    """Reads files into trees, and remembers texts, files and variables of all."""

    def __init__(self, made: Expanded) -> None:
        self._made = made

    def shipped(self, name: object, place: str) -> Tree:
        """The tree of a preset that ships. BadInput if there is none of that name."""
        if name not in preset_names():
            fix = suggestion(str(name), preset_names())
            raise BadInput(place, f"unknown preset {name!r}", fix)
        text = (PRESETS / f"{name}.toml").read_text(encoding="utf-8")
        return {
            key: _located(value, f"preset {name}", key)
            for key, value in tomllib.loads(text).items()
        }

    def file(self, path: Path, folder: Path, above: tuple[Path, ...]) -> Tree:
        """The tree of a file with all that it includes; ``above`` are the files including it.

        Paths in it become absolute unless it lies in ``folder``.
        """
        if above:
            text, raw = parsed(path)
            self._made.files.append(path)
        else:
            text, raw = read_toml(path, preset_names())
        self._made.texts[str(path)] = text
        try:
            put_in, place = self._put_variables, str(path)
            tree: Tree = {key: _located(each, place, key, put_in) for key, each in raw.items()}
            _refuse_defaults(tree.get("defaults"), f"{path}: defaults")
            if path.parent != folder:
                _make_absolute(tree, path.parent)
            return self._put_in(tree, path, folder, (*above, path.resolve()))
        except BadInput as refusal:
            raise with_line(refusal, str(path), text) from None

    def _put_in(self, tree: Tree, path: Path, folder: Path, above: tuple[Path, ...]) -> Tree:
        """A file's tree with its includes, its agents' files and its preset."""
        includes = self._taken(tree, "include", path)
        patterns = (
            self._taken(tree, "agents", path) if isinstance(tree.get("agents"), Value) else []
        )
        presets = self._taken(tree, "preset", path)
        below: Tree = {}
        for n, name in enumerate(includes):
            named = self._named(path, name, f"{path}: include[{n}]", above)
            below = _merged(below, self.file(named, folder, above), BLOCKS)
        tree = _merged(below, tree, BLOCKS)
        for pattern in patterns:
            for of_agents in self._matching(path, pattern, above):
                blocks, others = self._agents(of_agents, folder, above)
                tree = _merged(others, tree, BLOCKS)
                tree["agents"] = [*tree.get("agents", []), *blocks]
        for name in presets:
            if str(name).endswith(".toml"):
                named = self._named(path, name, f"{path}: preset", above)
                return _with_preset(tree, self.file(named, folder, above))
            return _with_preset(tree, self.shipped(name, f"{path}: preset"))
        return tree

    def _agents(self, path: Path, folder: Path, above: tuple[Path, ...]) -> tuple[list[Tree], Tree]:
        """The blocks of a file of agents, and its limits and budget. BadInput for anything else."""
        tree = self.file(path, folder, above)
        for key in tree.keys() - FILE_KEYS - {"defaults"}:
            fix = f"a file of agents has {', '.join(sorted(FILE_KEYS))}"
            refusal = BadInput(f"{path}: {key}", "has no place beside agents", fix)
            raise with_line(refusal, str(path), self._made.texts[str(path)])
        blocks = tree.get("agents")
        if blocks is None or not _is_blocks(blocks):
            raise BadInput(f"{path}: agents", "has no agent", "write an [[agents]] block")
        shared = {key: tree[key] for key in SHARED if key in tree}
        its = {"agent": _merged({"llm": shared}, tree.get("defaults", {}).get("agent", {}))}
        others: Tree = {key: tree[key] for key in ("limits", "budget") if key in tree}
        return [_filled(block, its) for block in blocks], others

    def _taken(self, tree: Tree, key: str, path: Path) -> list[str]:
        """Takes the names of files out of a tree: a text, or for ``include`` a list of them."""
        if key not in tree:
            return []
        value = plain(tree.pop(key))
        names = value if isinstance(value, list) and key == "include" else [value]
        if key != "preset" and not all(isinstance(name, str) and name for name in names):
            fix = 'write include = ["base.toml"]'
            if key == "agents":
                fix = 'write [[agents]] blocks, or agents = "models/*.toml"'
            raise BadInput(f"{path}: {key}", "is no name of a file", fix)
        return names

    def _named(self, path: Path, name: str, place: str, above: tuple[Path, ...]) -> Path:
        """The file that a file names. BadInput if it includes itself."""
        named = (path.parent / name).resolve()
        if named in above or len(above) > DEEPEST:
            raise BadInput(place, f"{name} includes itself", "take it out of one of the files")
        if not named.is_file():
            fix = f"put it there; paths are relative to {path.name}"
            raise BadInput(place, f"there is no file {named}", fix)
        return named

    def _matching(self, path: Path, pattern: str, above: tuple[Path, ...]) -> list[Path]:
        """The files of a pattern in the order of their names. BadInput if there are none."""
        place = f"{path}: agents"
        parts = Path(pattern).parts
        if Path(pattern).is_absolute() or {"..", "**"} & {*parts}:
            fix = 'name files beside or below it: agents = "models/*.toml"'
            raise BadInput(place, f"{pattern!r} leads out of the file's folder", fix)
        matches = sorted(path.parent.glob(pattern))
        if not matches:
            raise BadInput(place, f"no file matches {pattern!r}", "put one there, or correct it")
        return [self._named(path, str(each.absolute()), place, above) for each in matches]

    def _put_variables(self, value: Any, place: str, names: list[str]) -> Any:
        if isinstance(value, list):
            return [self._put_variables(each, place, names) for each in value]
        if not isinstance(value, str) or "${" not in value:
            return value
        if "api_key" in place.rpartition(".")[2]:
            fix = "write the name of the variable that holds the key"
            raise BadInput(place, "takes nothing from the environment", fix)

        def put(match: re.Match[str]) -> str:
            names.append(match[1])
            return self._variable(match[1], match[2], place)

        if "${" in _VARIABLE.sub("", value):
            raise BadInput(place, f"has an odd variable (got {value!r})", "write ${NAME}")
        return _VARIABLE.sub(put, value)

    def _variable(self, name: str, default: str | None, place: str) -> str:
        """The value of a variable. BadInput if it is missing without a default, or a secret."""
        value = os.environ.get(name, "")
        if not value:
            if default is None:
                fix = f"export {name}=..., or write a default: ${{{name}:-...}}"
                raise BadInput(place, f"the variable {name} is not set", fix)
            self._made.variables[name] = default
            return default
        if is_secret(name, value):
            fix = "name it in api_key_env, or take another variable"
            raise BadInput(place, f"the variable {name} may hold a secret", fix)
        if not value.isprintable():
            fix = f"set {name} to plain text"
            raise BadInput(place, f"the variable {name} has control characters", fix)
        self._made.variables[name] = value
        return value


def _make_absolute(tree: Tree, folder: Path) -> None:
    """Makes the paths of files in a tree absolute: they were relative to ``folder``."""
    of_agent = tree.get("defaults", {}).get("agent", {})
    kinds = [each for key, each in of_agent.items() if _is_kind(key, each)]
    lists = [tree[key] for key in ("agents", "games") if _is_blocks(tree.get(key))]
    for block in [of_agent, *kinds, *chain(*lists)]:
        for key in PATHS:
            value = block.get(key)
            if isinstance(value, Value) and isinstance(value.value, str):
                block[key] = value._replace(value=str((folder / value.value).resolve()))
