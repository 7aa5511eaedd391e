"""URLs of libraries: what is ours in them, and that passwords are not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.errors import UsageError
from readagent.library import Library
from readagent.library.postgres_url import place_of
from readagent.settings import load_settings

SECRET = "hunter2"


def test_a_tenant_has_a_schema_of_its_own() -> None:
    assert place_of("postgresql://ada@db/lib").schema == "readagent"
    assert place_of("postgresql://ada@db/lib?tenant=legal").schema == "readagent_legal"
    assert place_of("postgresql://ada@db/lib", "legal").schema == "readagent_legal"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ada:{SECRET}@db/lib",
        f"postgresql://ada@db/lib?password={SECRET}",
        f"postgresql://ada:{SECRET}@one,two/lib?tenant=legal&sslpassword={SECRET}",
    ],
)
def test_a_password_is_not_shown(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_LIBRARY", url)
    settings = load_settings()
    library = settings.open_library()
    shown = f"{place_of(url)!r} {place_of(url).name} {library!r} {library.location} {settings!r}"
    assert "ada@" in shown
    assert SECRET not in shown


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ada:{SECRET}/x@db/lib",
        f"postgresql://ada:{SECRET}@db/lib?{SECRET}",
        f"postgresql://ada:{SECRET}@db/lib?no_such_option={SECRET}",
    ],
)
def test_a_wrong_url_is_one_line_without_its_password(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        Library(url).documents()
    assert SECRET not in f"{raised.value} {raised.value.hint}"
    assert "\n" not in str(raised.value)
    assert raised.value.hint


def test_an_unknown_option_of_a_url_is_named() -> None:
    option = "no_such_option"
    with pytest.raises(UsageError, match=f"has an unknown option: {option}$") as raised:
        Library(f"postgresql://ada@db/lib?sslmode=require&{option}={SECRET}").documents()
    assert "tenant and pool_size" in raised.value.hint
    assert SECRET not in f"{raised.value} {raised.value.hint}"


def test_what_may_be_a_part_of_a_password_is_not_named_as_an_option() -> None:
    with pytest.raises(UsageError) as raised:
        Library("postgresql://ada:123?hunter=two@db/lib").documents()
    assert "hunter" not in f"{raised.value} {raised.value.hint}"


@pytest.mark.parametrize(
    "place",
    [f"mysql://ada:{SECRET}@db/lib", "PostgreSQL://ada@db/lib"],
)  # fmt: skip
def test_another_url_makes_no_folder(place: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="a library cannot be at a URL that begins with") as raised:
        Library(place).documents()
    with pytest.raises(UsageError, match="a library cannot be at a URL"):
        load_settings({"library": str(place)}).open_library()
    assert SECRET not in f"{raised.value} {raised.value.hint}"
    assert "postgresql://user@host/name" in raised.value.hint
    assert list(tmp_path.iterdir()) == []


def test_two_tenants_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_TENANT", "sales")
    with pytest.raises(UsageError, match="names the tenant legal, and the settings name sales"):
        load_settings({"library": "postgresql://ada@db/lib?tenant=legal"}).open_library()
    library = load_settings({"library": "postgresql://ada@db/lib?tenant=sales"}).open_library()
    assert library.location == "postgresql://ada@db/lib?tenant=sales"


def test_a_path_with_a_colon_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Library("mine") as library:
        assert library.documents() == []
    assert (tmp_path / "mine").exists()
