"""Fingerprints of asks as a save stores them: eight bytes each instead of sixteen hex digits."""


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
