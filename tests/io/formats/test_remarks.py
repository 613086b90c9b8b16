"""What the reader recognises in a file, what it says of it, and what it leaves alone."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.io import read_table, write_table
from sfumato.io.engine import Source
from sfumato.io.formats.charset import find_encoding, to_utf8
from sfumato.io.formats.csv_columns import _zero_leads
from sfumato.io.formats.dialect import find_dialect


def read(tmp_path: Path, content: str | bytes, **told: Any) -> tuple[pa.Table, list[str]]:
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    said: list[str] = []
    table = read_table(path, notes=said.append, **told)
    return table, [remark.removeprefix(str(path)) for remark in said]


def test_a_plain_file_needs_no_remark(tmp_path: Path) -> None:
    table, said = read(tmp_path, "name,age,day\nAda,36,1815-12-10\nMax,40,1858-04-23\n")
    assert said == []
    assert table.schema.types == [pa.string(), pa.int64(), pa.date32()]


@pytest.mark.parametrize(
    ("content", "told", "remark"),
    [
        ("a;b\n1;2\n", {}, " has a semicolon between fields; delimiter= says another"),
        ("a\tb\n1\t2\n", {}, " has a tab between fields; delimiter= says another"),
        ("a|b\n1|2\n", {}, " has a bar between fields; delimiter= says another"),
        ("a;b\n1;2\n", {"delimiter": ";"}, None),
        ("'a','b'\n'1','x, y'\n", {}, " has single quotation marks in fields"),
        ('a,b\n1,"say \\"hi\\", you"\n', {}, " has a backslash before quotation marks in fields"),
        (
            b"\xef\xbb\xbfa,b\n1,2\n",
            {},
            " begins with a byte order mark (utf-8), which is not part of the first name",
        ),
        ("a,b\n1,x\n".encode("utf-16"), {}, " begins with a byte order mark (utf-16), which is not part of the first "
                                            "name"),
        ("a,b\n1,Müller\n".encode("latin-1"), {}, " is not UTF-8: read as cp1252, a guess; encoding= says another"),
        ("a,b\n1,Müller\n".encode("latin-1"), {"encoding": "latin-1"}, None),
    ],
)  # fmt: skip
def test_dialect_and_encoding_are_said(tmp_path: Path, content: Any, told: dict[str, str], remark: str | None) -> None:
    table, said = read(tmp_path, content, **told)
    assert said == ([] if remark is None else [remark])
    assert table.column_names == ["a", "b"]
    heard: list[str] = []
    Source.of(tmp_path / "t.csv", notes=heard.append, **told)
    assert [one.removeprefix(str(tmp_path / "t.csv")) for one in heard] == said


def test_codes_keep_their_zeros_and_their_gaps(tmp_path: Path) -> None:
    table, said = read(tmp_path, 'zip,plain,quoted,x\n01067,1,"007",0.5\n80331,0,"12",01.5\n,,,\nNA,NA,NA,NA\n')
    assert said == []
    assert table.to_pydict() == {
        "zip": ["01067", "80331", None, None],
        "plain": [1, 0, None, None],
        "quoted": ["007", "12", None, None],
        "x": ["0.5", "01.5", None, None],
    }


def test_a_late_zero_makes_a_code(tmp_path: Path) -> None:
    table, _ = read(tmp_path, "zip;n\n" + "12345;1\n" * 60_000 + "01067;1\n")
    assert table.schema.types == [pa.string(), pa.int64()]
    assert table["zip"][-1].as_py() == "01067"


@settings(deadline=None)
@given(
    before=st.integers(0, 2**17 + 9),
    ending=st.sampled_from([";", "\n", '"', "\r"]),
    field=st.sampled_from(["00", "01", "09999", "0", "0.5", "10", "1.05", "-05", "/05"]),
)
def test_a_zero_is_seen_wherever_it_stands(before: int, ending: str, field: str) -> None:
    """Also where two blocks meet; a zero inside a number is none."""
    content = b"x" * before + (ending + field + ending + "x").encode()
    assert _zero_leads(content, ";") == (field in ("00", "01", "09999"))


def test_blank_cells_and_na_are_missing_among_numbers_and_texts_among_texts(tmp_path: Path) -> None:
    table, _ = read(tmp_path, "n,day,text\n1,2020-01-01,x\n,,\nNA,NA,NA\n")
    assert table["n"].to_pylist() == [1, None, None]
    assert table["day"].to_pylist() == [dt.date(2020, 1, 1), None, None]
    assert table["text"].to_pylist() == ["x", "", "NA"]


def test_numbers_too_long_for_a_double_stay_text(tmp_path: Path) -> None:
    table, _ = read(tmp_path, "card,big,n\n12345678901234567890,1e300,1\n9,2,9007199254740993\n")
    assert table["card"].to_pylist() == ["12345678901234567890", "9"]
    assert table["big"].to_pylist() == [1e300, 2.0]
    assert table["n"].to_pylist() == [1, 2**53 + 1]


@pytest.mark.parametrize("name", ["zip", "ZIP", "home_zip", "plz", "PLZ", "postcode", "Postal Code", "ssn", "phone"])
def test_lost_zeros_are_said(tmp_path: Path, name: str) -> None:
    _, said = read(tmp_path, f"{name},n\n1067,1\n80331,22\n")
    assert said == [f", column {name!r}: whole numbers of 4 to 5 digits; leading zeros are lost if these are codes"]
    assert read(tmp_path, f"{name},n\n10671,1\n80331,22\n")[1] == []


@pytest.mark.parametrize("name", ["zipper", "capital", "telling", "age", "compost"])
def test_other_names_are_no_codes(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, f"{name},n\n1067,1\n80331,22\n")[1] == []


DAYS = [dt.date(1999, 12, 31), dt.date(2001, 2, 3)]


@pytest.mark.parametrize(
    ("values", "expected", "remark"),
    [
        (["31.12.1999", "3.2.2001"], DAYS, "dates with the day first, read as such"),
        (["31/12/1999", "03/02/2001"], DAYS, "dates with the day first, read as such"),
        (["12/31/1999", "02/03/2001"], DAYS, "dates with the month first, read as such"),
        (["31-12-1999", ""], [DAYS[0], None], "dates with the day first, read as such"),
        (["31.12.1999", "NA"], [DAYS[0], None], "dates with the day first, read as such"),
        (
            ["31.12.1999 23:59", "03.02.2001 00:00"],
            [dt.datetime(1999, 12, 31, 23, 59), dt.datetime(2001, 2, 3)],
            "dates with the day first, read as such",
        ),
        (
            ["03/02/2001", "04/05/2001"],
            None,
            "dates with the day or the month first, which cannot be told; it stays text; write 1999-12-31",
        ),
        (["31/12/1999", "12/31/1999"], None, "dates in different orders, or no dates; it stays text"),
        (["31.12.1999", "soon"], None, None),
        (["30.02.1999", "01.01.2000"], None,
         "dates with the day first, and some that no calendar has; it stays text"),
        (["1.2.3", "4.5.6"], None, None),
    ],
)  # fmt: skip
def test_dates_in_other_orders(tmp_path: Path, values: list[str], expected: Any, remark: str | None) -> None:
    table, said = read(tmp_path, "day,n\n" + "".join(f"{value},1\n" for value in values))
    assert table["day"].to_pylist() == (values if expected is None else expected)
    assert said == ([] if remark is None else [f", column 'day': {remark}"])


def test_a_late_value_stops_a_column_of_dates(tmp_path: Path) -> None:
    values = ["31.12.1999"] * 500 + ["unknown"]
    table, said = read(tmp_path, "day,n\n" + "".join(f"{value},1\n" for value in values))
    assert table["day"].to_pylist() == values
    assert said == [", column 'day': some values are dates such as 31.12.1999 and others are not; it stays text"]


@pytest.mark.parametrize(
    ("values", "expected", "remark"),
    [
        (["1,5", "-20,25", "3"], [1.5, -20.25, 3.0], "numbers with a decimal comma, read as such"),
        (["1,5", "", "NA"], [1.5, None, None], "numbers with a decimal comma, read as such"),
        (["1,500", "20,250"], None, "numbers with a comma for decimals or thousands, which cannot be told; it stays "
                                    "text"),
        (["1,5", "x"], None, None),
        (["1,5", "007"], None, None),
    ],
)  # fmt: skip
def test_decimal_commas(tmp_path: Path, values: list[str], expected: Any, remark: str | None) -> None:
    table, said = read(tmp_path, "x;n\n" + "".join(f"{value};1\n" for value in values), delimiter=";")
    assert table["x"].to_pylist() == (values if expected is None else expected)
    assert said == ([] if remark is None else [f", column 'x': {remark}"])


def test_remarks_show_no_values(tmp_path: Path) -> None:
    content = "plz;born;cost;note\n1067;17.03.1984;1234,5;secret\n80331;18.03.1984;99,75;Weiß\n".encode("latin-1")
    _, said = read(tmp_path, content)
    assert len(said) == 5
    assert not any(value in remark for remark in said for value in ("1067", "17.03", "1234", "secret", "Wei"))


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("name;city\nMüller;Köln\nWeiß;Ulm\n", "latin-1", "cp1252"),
        ("José Núñez;Málaga\nFrançois;Orléans\n", "latin-1", "cp1252"),
        ("25 °C\n50 €\n“quoted”\n", "cp1252", "cp1252"),
        ("imię;miasto\nStanisław;Kraków\nŻaneta;Łódź\n", "cp1250", "cp1250"),
        ("Иванов;Москва\nПетрова;Казань\nСидоров;Тверь\n", "cp1251", "cp1251"),
        ("Иванов;Москва\nПетрова;Казань\nСидоров;Тверь\n", "koi8-r", "koi8_r"),
        ("Γιώργος;Αθήνα\nΜαρία;Πάτρα\n", "cp1253", "cp1253"),
        ("山田太郎;東京\n鈴木花子;大阪市\n", "shift-jis", "cp932"),
        ("王小明;北京市\n李华;上海\n", "gb18030", "gb18030"),
    ],
)
def test_encodings_are_guessed(text: str, encoding: str, found: str) -> None:
    content = text.encode(encoding)
    guess = find_encoding(lambda: [content], "t.csv")
    assert (guess.name, guess.guessed) == (found, True)
    assert b"".join(to_utf8([content], guess, "t.csv")).decode() == text


def test_damaged_utf8_is_not_another_encoding(tmp_path: Path) -> None:
    """Thirty lines of six bytes after one of four, then a bare byte behind four others."""
    with pytest.raises(InputError, match=r"line 32, is not UTF-8 \(byte 188 in the file\): say the encoding"):
        read(tmp_path, b"a,b\n" + "é,é\n".encode() * 30 + b"ok,x\xe9\n")


@given(cut=st.integers(1, 40), text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_pieces_do_not_matter(cut: int, text: str) -> None:
    """A character that is cut in two is one; UTF-16 and UTF-8 alike."""
    for encoding in ("utf-8", "utf-16"):
        content = text.encode(encoding)
        pieces = [content[i : i + cut] for i in range(0, len(content), cut)]
        told = find_encoding(lambda content=content: [content], "t.txt")
        if told.name == encoding and "\ufeff" not in text:
            assert b"".join(to_utf8(pieces, told, "t.txt")).decode() == text


@pytest.mark.parametrize(
    ("start", "delimiter"),
    [
        ("a\n1\n", ","),
        ("a,b\n1;2,3\n4;5,6\n", ","),
        ("name, first;age\nAda, A.;36\nMax;40\n", ";"),
        ('"a;b",c\n1,2\n', ","),
        ("a;b,c\n1;2,3\n4;5\n6;7\n", ";"),
        ("x y|z\n1 2|3\n", "|"),
        ('a,b\n"x\n;;;;\n;;;;y",2\n', ","),
    ],
)
def test_delimiters_are_found(start: str, delimiter: str) -> None:
    assert find_dialect(start, "t.csv").delimiter == delimiter


@pytest.mark.parametrize(
    ("start", "backslash"),
    [
        ('a,b\n1,"say \\"hi\\", you"\n', True),
        ('a,b\n1,"say \\"hi\\"\nyou"\n2,"cut \\"of', True),
        ('a,b\n"C:\\dir\\",2\n', False),  # a doubled dialect reads it well
        ('a,b\n"\\""",2\n', False),
        ('a,b\n1,"a"b",\\"\n', False),  # broken either way
        ('a,b,c,d\n1,\\,"\\""",,x\n', False),  # a field too many
    ],
)
def test_backslashes_are_taken_for_escapes_only_where_nothing_else_fits(start: str, backslash: bool) -> None:
    assert find_dialect(start, "t.csv").backslash is backslash


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é"])
def test_bad_delimiters(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(InputError, match=r"delimiter = .*expected one ASCII character"):
        read(tmp_path, "a,b\n1,2\n", delimiter=delimiter)


def test_a_delimiter_by_its_shell_name(tmp_path: Path) -> None:
    assert read(tmp_path, "a\tb\n1\t2\n", delimiter="\\t")[0].column_names == ["a", "b"]


def test_ragged_rows_name_their_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 6, row 4, has 3 fields: expected 2 as in the header.*contain a ';'"):
        read(tmp_path, 'a;b\n1;"two\nlines"\n\n2;x\n3;secret;4\n')


def test_what_does_not_fit_the_format(tmp_path: Path) -> None:
    write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="delimiter = ';': expected none with this format"):
        read_table(tmp_path / "t.parquet", delimiter=";")
    with pytest.raises(InputError, match="encoding = 'latin-1': expected none with this format"):
        read_table(tmp_path / "t.parquet", encoding="latin-1")
    with pytest.raises(InputError, match="none with Parquet"):
        Source.of(tmp_path / "t.parquet", encoding="latin-1")
