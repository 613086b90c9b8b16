"""Images in a PDF: what they carry besides their pixels."""

from __future__ import annotations

from typing import Any

from sfumato.io.redaction.pictures import clean_jpeg, clean_jpeg2000

__all__ = ["clean_image", "image_extras"]


def clean_image(stream: Any) -> bool:
    """Take out what an image says besides its pixels: camera, place, author, comments, thumbnails, what follows it.

    Returns
    -------
    bool
        Whether it could be cleaned. One that cannot be read has to go.
    """
    import pikepdf

    filters = _filters(stream)
    if "/DCTDecode" not in filters and "/JPXDecode" not in filters:
        return True  # pixels and nothing else
    if len(filters) == 1:
        made = (clean_jpeg if filters == ["/DCTDecode"] else clean_jpeg2000)(stream.read_raw_bytes())
        if made is None:
            return False
        stream.write(made, filter=pikepdf.Name(filters[0]), decode_parms=stream.get("/DecodeParms"))
        return True
    try:  # packed twice: the pixels themselves are written
        stream.write(stream.read_bytes(decode_level=pikepdf.StreamDecodeLevel.all))
    except pikepdf.PdfError:
        return False
    return True


def image_extras(stream: Any) -> bool:
    """Whether an image says something besides its pixels."""
    filters = _filters(stream)
    if filters not in (["/DCTDecode"], ["/JPXDecode"]):
        return False
    raw = stream.read_raw_bytes()
    return (clean_jpeg if filters == ["/DCTDecode"] else clean_jpeg2000)(raw) != raw


def _filters(stream: Any) -> list[str]:
    import pikepdf

    found = stream.get("/Filter", [])
    return [str(found)] if isinstance(found, pikepdf.Name) else [str(one) for one in found]
