"""TLS 1.3 between two hosts that know each other: by certificates, or by a secret that both have."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import math
import os
import socket
import ssl
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import InputError, PeerError, bad_input
from sfumato.party.transports.framing import SocketChannel
from sfumato.party.transports.pake import authenticate, check_secret
from sfumato.validate import extra, integer

__all__ = ["Certificates", "Security", "SharedSecret", "connect", "make_identity", "serve"]


@dataclass(frozen=True, kw_only=True)
class Certificates:
    """Each side has a certificate, and knows the other's.

    Parameters
    ----------
    certificate, key : path
        This side's certificate and private key (PEM), as :func:`make_identity` writes them.
    peer : path
        The certificate of the other side. Exactly this one is accepted, whatever its name says.
    """

    certificate: str | Path
    key: str | Path
    peer: str | Path

    def context(self, server: bool) -> ssl.SSLContext:
        """TLS 1.3, both sides with certificates."""
        made = _context(server)
        try:
            made.load_cert_chain(str(self.certificate), str(self.key), password=_no_password)
            made.load_verify_locations(str(self.peer))
        except (OSError, ssl.SSLError):
            raise bad_input(
                "certificates",
                [Path(one).name for one in (self.certificate, self.key, self.peer)],
                "a certificate, its unencrypted private key and the certificate of the peer, as PEM",
                "sfumato party identity makes them",
            ) from None
        made.verify_mode = ssl.CERT_REQUIRED
        return made

    def check(self, channel: SocketChannel, server: bool) -> None:
        """Only the one certificate will do; one that it has signed will not."""
        expected = ssl.PEM_cert_to_DER_cert(_first_certificate(Path(self.peer)))
        if _peer_certificate(channel) != expected:
            raise _stranger("the peer has another certificate than the one expected")


@dataclass(frozen=True, kw_only=True)
class SharedSecret:
    """Both sides know a secret, such as a phrase agreed by telephone; nobody has a certificate.

    The listener makes a certificate for this one connection. Inside TLS both sides run SPAKE2 on the secret and confirm
    the key that it gives together with the listener's certificate: see :mod:`sfumato.party.transports.pake`.
    """

    secret: str = field(repr=False)

    def __post_init__(self) -> None:
        check_secret(self.secret)

    def context(self, server: bool) -> ssl.SSLContext:
        """TLS 1.3; whom it connects is settled afterwards."""
        made = _context(server)
        if server:
            with tempfile.TemporaryDirectory() as folder:
                certificate, key = make_identity(Path(folder) / "once", days=2)
                made.load_cert_chain(certificate, key)
                made.shown = ssl.PEM_cert_to_DER_cert(_first_certificate(certificate))
        else:
            made.verify_mode = ssl.CERT_NONE
        return made

    def check(self, channel: SocketChannel, server: bool) -> None:
        """Prove to each other that both know the secret and see the same certificate."""
        seen = _own_certificate(channel) if server else _peer_certificate(channel)
        try:
            authenticate(channel, self.secret, server=server, binding=hashlib.sha256(seen).digest())
        except PeerError as error:
            raise _stranger(str(error)) from None


Security = Certificates | SharedSecret


def make_identity(path: str | Path, *, name: str = "sfumato party", days: int = 365) -> tuple[Path, Path]:
    """Write a self-signed certificate ``path.pem`` and its private key ``path.key`` (mode 0600); give both paths."""
    x509 = extra("cryptography.x509", "party")
    ec = extra("cryptography.hazmat.primitives.asymmetric.ec", "party")
    part = extra("cryptography.hazmat.primitives.serialization", "party")
    hashes = extra("cryptography.hazmat.primitives.hashes", "party")
    certificate, secret = Path(f"{path}.pem"), Path(f"{path}.key")
    for file in (certificate, secret):
        if file.exists():
            raise bad_input("path", file.name, "a name that is free", "keep the identity, or remove it first")
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # clocks differ
        .not_valid_after(now + datetime.timedelta(days=integer("days", days)))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(private, hashes.SHA256())
    )
    form = (part.Encoding.PEM, part.PrivateFormat.PKCS8, part.NoEncryption())
    with os.fdopen(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(private.private_bytes(*form))
    certificate.write_bytes(made.public_bytes(part.Encoding.PEM))
    return certificate, secret


def connect(host: str, port: int, security: Security, *, timeout: float = 60.0) -> SocketChannel:
    """Connect to a peer that listens, and make sure who it is."""
    context = security.context(False)
    try:
        raw = socket.create_connection((host, integer("port", port, most=65535)), timeout=timeout)
    except OSError as error:
        raise PeerError(f"cannot connect to {host}:{port}: {error.strerror or 'no answer'}") from None
    return _secured(raw, context, security, False, timeout)


@contextlib.contextmanager
def serve(host: str, port: int, security: Security) -> Iterator[Listener]:
    """Listen for a peer; port 0 takes any that is free."""
    context = security.context(True)
    try:
        server = socket.create_server((host, integer("port", port, least=0, most=65535)))
    except OSError as error:
        raise InputError(f"cannot listen on {host}:{port}: {error.strerror}; take another port") from None
    with server:
        yield Listener(server=server, context=context, security=security)


@dataclass(frozen=True, kw_only=True)
class Listener:
    """A place where one peer after the other can connect."""

    server: socket.socket
    context: ssl.SSLContext
    security: Security

    @property
    def port(self) -> int:
        """Where it listens."""
        found: int = self.server.getsockname()[1]
        return found

    def accept(self, *, timeout: float = 60.0, wait: float | None = None) -> SocketChannel:
        """The next peer that connects and proves who it is.

        Parameters
        ----------
        timeout : float
            Seconds for each message, and for all of the proof.
        wait : float, optional
            Seconds until a peer must have come; for ever if not given.
        """
        self.server.settimeout(wait)
        try:
            raw, _ = self.server.accept()
        except TimeoutError:
            raise PeerError("no peer came in time") from None
        return _secured(raw, self.context, self.security, True, timeout)


def _secured(
    raw: socket.socket, context: ssl.SSLContext, security: Security, server: bool, timeout: float
) -> SocketChannel:
    """The channel, when the peer has proved who it is: within one timeout for all of it, whatever it sends."""
    deadline = time.monotonic() + timeout
    try:
        wrapped = context.wrap_socket(raw, server_side=server, do_handshake_on_connect=False)
    except OSError:
        raw.close()
        raise PeerError("the peer closed the connection before it was secure") from None
    channel = SocketChannel(wrapped, timeout=timeout)
    channel.deadline = deadline
    try:
        channel.secure()
    except BaseException:
        channel.close()  # nothing can be said before the connection is secure
        raise
    try:
        security.check(channel, server)
    except BaseException as error:
        channel.deadline = math.inf
        channel.farewell(error)
        raise
    channel.deadline = math.inf
    return channel


class _Context(ssl.SSLContext):
    """A context that remembers the certificate it shows."""

    shown: bytes = b""


def _context(server: bool) -> _Context:
    made = _Context(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False  # a peer is known by its certificate or by the secret, not by its address
    if server:
        made.num_tickets = 0  # every connection proves anew who it is
    return made


def _stranger(words: str) -> PeerError:
    error = PeerError(words)
    error.farewell = 6  # type: ignore[attr-defined]
    return error


def _no_password() -> str:
    raise InputError("the private key is encrypted: expected one without a password")


def _peer_certificate(channel: SocketChannel) -> bytes:
    connection = channel.connection
    return (connection.getpeercert(binary_form=True) if isinstance(connection, ssl.SSLSocket) else None) or b""


def _own_certificate(channel: SocketChannel) -> bytes:
    context = getattr(channel.connection, "context", None)
    return context.shown if isinstance(context, _Context) else b""


def _first_certificate(path: Path) -> str:
    end = "-----END CERTIFICATE-----"
    return path.read_text(encoding="ascii").partition(end)[0] + end + "\n"
