"""Fingerprints, and how a save stores those of asks: eight bytes instead of sixteen hex digits."""

from hashlib import blake2b


def fingerprint(text: str) -> str:
    """The fingerprint of a text in sixteen hex digits."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def packed_digest(digest: str) -> bytes | str:
    """Returns the bytes of a fingerprint, or other text as it is."""
    try:
        packed = bytes.fromhex(digest)
    except ValueError:
        return digest
    return packed if packed.hex() == digest else digest


def digest_text(stored: bytes | str) -> str:
    """Reads back ``packed_digest``."""
    return stored if isinstance(stored, str) else stored.hex()
