"""American Community Survey microdata of 2019, as excerpted by NIST (Diverse Communities Data Excerpts 1.1).

Source: U.S. National Institute of Standards and Technology, Collaborative Research Cycle; a work of the US government.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.io.datasets.catalogue import load_packed_csv

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PUMA_CENTRES", "load_acs_pums"]

_PARTS = ("national2019", "tx2019", "ma2019")

PUMA_CENTRES: dict[str, tuple[float, float]] = {
    "01-01301": (33.51, -86.86),
    "06-07502": (37.80, -122.41),
    "06-08507": (37.26, -122.01),
    "08-00803": (40.02, -105.27),
    "13-04600": (33.77, -84.40),
    "17-03529": (41.79, -87.59),
    "17-03531": (41.73, -87.63),
    "19-01700": (41.59, -93.62),
    "24-01004": (39.01, -77.16),
    "25-00503": (42.43, -71.25),
    "25-00703": (42.62, -70.82),
    "25-01000": (42.55, -71.02),
    "25-01300": (42.60, -71.21),
    "25-02800": (42.48, -71.08),
    "26-02702": (42.28, -83.73),
    "28-01100": (32.31, -90.17),
    "29-01901": (38.67, -90.24),
    "30-00600": (46.80, -106.50),
    "32-00405": (36.15, -115.11),
    "36-03710": (40.82, -73.90),
    "36-04010": (40.65, -73.93),
    "38-00100": (48.20, -102.20),
    "40-00200": (35.80, -94.80),
    "48-02101": (32.35, -96.79),
    "48-02102": (32.38, -97.37),
    "48-02507": (32.69, -97.15),
    "48-02510": (32.92, -97.23),
    "48-02515": (32.76, -97.48),
    "48-02516": (32.66, -97.42),
    "51-01301": (38.89, -77.11),
    "51-51255": (38.82, -77.08),
}
"""Latitude and longitude of about the middle of each area, to 0.01° in cities and coarser on the plains."""


def load_acs_pums() -> pa.Table:
    """44 163 people in 31 areas of the USA; every column as text, with ``N`` for "not applicable"."""
    import pyarrow as pa

    tables = []
    for part in _PARTS:
        file = f"acs_pums/{part}.csv.xz"
        tables.append(load_packed_csv(file, dict.fromkeys(load_packed_csv(file).column_names, "string")))
    return pa.concat_tables(tables)
