"""How messages travel: in one process, through a socket, and through TLS between two hosts."""
