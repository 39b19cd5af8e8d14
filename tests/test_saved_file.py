"""The artifact's file: what is damaged, cut short or foreign is refused, wherever the damage is."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from myjit.errors import ArtifactError
from myjit.saved_file import ALIGNMENT, FORMAT, SavedFile, write_saved

MEMBERS = {"programs/0.vmfb": b"code" * 50, "parameters.safetensors": bytes(range(256)) * 4, "empty": b""}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.myjit"
    write_saved(path, {"variants": []}, {name: [data[:10], data[10:]] for name, data in MEMBERS.items()})
    return path


def test_members_come_back_on_boundaries(path: Path):
    saved = SavedFile(path)
    assert {name: bytes(saved.member(name)) for name in saved.names()} == MEMBERS
    assert saved.manifest["variants"] == []
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.read("programs/0.vmfb") == MEMBERS["programs/0.vmfb"]
    content = path.read_bytes()
    assert content.index(b"codecode") % ALIGNMENT == 0


def test_no_flipped_byte_changes_what_is_read(path: Path):
    """A flip is refused, or in a place of the zip format that nothing is read from."""
    good = path.read_bytes()
    chosen = random.Random(0)
    refused = 0
    for _ in range(1000):
        bad = bytearray(good)
        bad[chosen.randrange(len(bad))] ^= 1 << chosen.randrange(8)
        path.write_bytes(bad)
        try:
            saved = SavedFile(path)
            assert {name: bytes(saved.member(name)) for name in saved.names()} == MEMBERS
            assert saved.manifest["variants"] == []
        except ArtifactError:
            refused += 1
    assert refused > 700


def test_a_truncated_file_is_refused(path: Path):
    good = path.read_bytes()
    for size in range(0, len(good), 97):
        path.write_bytes(good[:size])
        with pytest.raises(ArtifactError):
            SavedFile(path)


def test_foreign_files_are_refused(tmp_path: Path):
    path = tmp_path / "a.myjit"
    with pytest.raises(ArtifactError, match="cannot be read"):
        SavedFile(path)
    path.write_bytes(b"\x80\x04K\x01.")  # a pickle
    with pytest.raises(ArtifactError, match="no zip file"):
        SavedFile(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", b"\x80\x04K\x01.")
    with pytest.raises(ArtifactError, match=r"has no member 'manifest\.json'"):
        SavedFile(path)


def test_another_format_version_is_refused(tmp_path: Path, monkeypatch):
    path = tmp_path / "a.myjit"
    monkeypatch.setattr("myjit.saved_file.FORMAT", FORMAT + 1)
    write_saved(path, {}, {})
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match=f"has format {FORMAT + 1}, this version of myjit reads {FORMAT}"):
        SavedFile(path)


def test_a_member_that_is_missing_is_named(path: Path):
    with pytest.raises(ArtifactError, match="no member 'x'"):
        SavedFile(path).member("x")


def test_a_failed_write_leaves_the_old_file(path: Path):
    def fails():
        yield b"half"
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    with pytest.raises(ArtifactError, match="No space left"):
        write_saved(path, {}, {"a": fails()})
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["a.myjit"]
