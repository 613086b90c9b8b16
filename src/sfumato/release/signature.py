"""Ed25519 signatures of cards."""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError
from sfumato.io.atomic import atomic_path, reading
from sfumato.release.card import Card, Signature
from sfumato.validate import extra

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["key_id", "make_keys", "read_private", "read_public", "sign", "signature_holds"]


def _library() -> tuple[Any, Any]:
    ed25519 = extra("cryptography.hazmat.primitives.asymmetric.ed25519", "sign")
    serialization = extra("cryptography.hazmat.primitives.serialization", "sign")
    return ed25519, serialization


def make_keys(path: str | Path) -> tuple[Path, Path]:
    """Write a new private key to ``path`` (PEM, mode 0600) and its public key to ``path.pub``; never over another."""
    ed25519, serialization = _library()
    private, public = Path(path), Path(f"{path}.pub")
    for file in (private, public):
        if file.exists():
            raise InputError(f"{file} is there already: a key is never overwritten; choose another name")
    key = ed25519.Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    hidden = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    shown = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    with atomic_path(private) as beside:
        os.chmod(beside, 0o600)
        beside.write_bytes(hidden)
    with atomic_path(public) as beside:
        beside.write_bytes(shown)
    return private, public


def read_private(path: str | Path) -> Ed25519PrivateKey:
    """The private key in a PEM file."""
    ed25519, serialization = _library()
    with reading(path):
        content = Path(path).read_bytes()
    try:
        key = serialization.load_pem_private_key(content, password=None)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} is not a private key: sfumato keygen makes one") from error
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise InputError(f"{path} is not an Ed25519 key: sfumato keygen makes one")
    return key


def read_public(path: str | Path) -> Ed25519PublicKey:
    """The public key in a PEM file."""
    ed25519, serialization = _library()
    with reading(path):
        content = Path(path).read_bytes()
    try:
        key = serialization.load_pem_public_key(content)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} is not a public key: expected the .pub file of sfumato keygen") from error
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise InputError(f"{path} is not an Ed25519 public key: expected the .pub file of sfumato keygen")
    return key


def key_id(key: Ed25519PublicKey) -> str:
    """A short name of a public key: the first 16 digits of the SHA-256 of its raw bytes."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def sign(card: Card, key: Ed25519PrivateKey) -> Card:
    """The card with a signature of everything else in it."""
    value = base64.b64encode(key.sign(card.signed_bytes())).decode()
    return replace(card, signature=Signature(key_id=key_id(key.public_key()), value=value))


def signature_holds(card: Card, key: Ed25519PublicKey) -> bool:
    """Whether the card carries this key's signature of exactly this content."""
    invalid = extra("cryptography.exceptions", "sign").InvalidSignature
    if card.signature is None:
        return False
    try:
        key.verify(base64.b64decode(card.signature.value, validate=True), card.signed_bytes())
    except (invalid, ValueError):
        return False
    return True
