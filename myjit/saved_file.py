"""The file format of saved artifacts: a zip of stored members, a manifest, a checksum of every member.

The manifest's own checksum is the zip's comment. Members are mapped into memory, each on a boundary of
64 bytes, so weights are used where they are. Nothing in a file is ever unpickled or executed before
all of it has been checked.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from myjit.errors import ArtifactError
from myjit.whole_file import replacing

#: The version that this code writes, and the only one that it reads.
FORMAT = 1
ALIGNMENT = 64
_KIND = "myjit artifact"
_MANIFEST = "manifest.json"
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_PADDING_ID = 0x4D4A  # a private header id for an extra field of zeros

Chunks = Iterable[Any]  # of bytes, or of buffers of bytes


def write_saved(path: Path, manifest: Mapping[str, Any], members: Mapping[str, Chunks]) -> None:
    """Write an artifact in place of `path`; `members` are given as chunks of bytes.

    Raises:
        ArtifactError: the file cannot be written.
    """
    try:
        with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            sums = {name: _write(file, archive, name, chunks) for name, chunks in members.items()}
            header = {"kind": _KIND, "format": FORMAT, **manifest, "members": sums}
            text = json.dumps(header, indent=1).encode()
            archive.writestr(zipfile.ZipInfo(_MANIFEST), text)
            archive.comment = hashlib.sha256(text).hexdigest().encode()
    except OSError as error:
        raise ArtifactError(f"{path} cannot be written: {error}") from error


class SavedFile:
    """An artifact's manifest and members, every byte of them checked.

    Raises:
        ArtifactError: the file is missing, damaged, or of another kind or version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            with zipfile.ZipFile(path) as archive:
                self._places = {info.filename: info for info in archive.infolist()}
                comment = archive.comment
        except OSError as error:
            raise ArtifactError(f"{path} cannot be read: {error}") from error
        except Exception as error:  # zipfile fails in many ways on damaged files: typed here, once
            raise self._damaged(f"it is no zip file ({error})") from error
        self.manifest = self._read_manifest(comment)
        self._members = {name: self._checked(name, facts) for name, facts in self._listed().items()}

    def member(self, name: str) -> memoryview:
        """Return a member's bytes, where they are mapped.

        Raises:
            ArtifactError: there is none of that name.
        """
        if name not in self._members:
            raise self._damaged(f"it has no member {name!r}")
        return self._members[name]

    def names(self) -> tuple[str, ...]:
        """Name the members."""
        return tuple(self._members)

    def _read_manifest(self, comment: bytes) -> dict[str, Any]:
        text = bytes(self._slice(_MANIFEST))
        if hashlib.sha256(text).hexdigest().encode() != comment:
            raise self._damaged("the manifest's checksum does not match")
        manifest = json.loads(text)
        if not isinstance(manifest, dict) or manifest.get("kind") != _KIND:
            raise self._damaged("it was not written by myjit")
        if manifest.get("format") != FORMAT:
            raise ArtifactError(
                f"{self.path} has format {manifest.get('format')}, this version of myjit reads {FORMAT}"
            )
        return manifest

    def _listed(self) -> dict[str, Any]:
        members = self.manifest.get("members")
        if not isinstance(members, dict):
            raise self._damaged("the manifest lists no members")
        return members

    def _checked(self, name: str, facts: Mapping[str, Any]) -> memoryview:
        data = self._slice(name)
        if len(data) != facts.get("size") or hashlib.sha256(data).hexdigest() != facts.get("sha256"):
            raise self._damaged(f"the checksum of {name} does not match")
        return data

    def _slice(self, name: str) -> memoryview:
        info = self._places.get(name)
        if info is None or info.compress_type != zipfile.ZIP_STORED:
            raise self._damaged(f"it has no member {name!r}")
        start = info.header_offset
        if start < 0 or start + _LOCAL_HEADER.size > len(self._map):
            raise self._damaged(f"{name} lies outside of the file")
        fields = _LOCAL_HEADER.unpack_from(self._map, start)
        start += _LOCAL_HEADER.size + fields[-2] + fields[-1]
        return memoryview(self._map)[start : start + info.file_size]

    def _damaged(self, why: str) -> ArtifactError:
        return ArtifactError(f"{self.path} is no artifact that can be used: {why}")


def _write(file: BinaryIO, archive: zipfile.ZipFile, name: str, chunks: Chunks) -> dict[str, Any]:
    """Write one member with its data on a boundary; return its size and checksum."""
    pieces = [memoryview(chunk).cast("B") for chunk in chunks]
    size = sum(len(piece) for piece in pieces)
    large = size >= 1 << 31
    info = zipfile.ZipInfo(name)
    header = _LOCAL_HEADER.size + len(name.encode()) + (20 if large else 0)
    padding = -(file.tell() + header + 4) % ALIGNMENT
    info.extra = struct.pack("<2H", _PADDING_ID, padding) + bytes(padding)
    info.file_size = size
    digest = hashlib.sha256()
    with archive.open(info, "w", force_zip64=large) as member:
        for piece in pieces:
            digest.update(piece)
            member.write(piece)
    return {"size": size, "sha256": digest.hexdigest()}
