"""Reflection that reads like documentation: the contract with its comments.

Generated modules carry the contract without comments. The build keeps it with them in
``contract.binpb``, and reflection answers from that file.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from google.protobuf.descriptor import FileDescriptor

CONTRACT_FILE: Final = "contract.binpb"


def documented_files() -> dict[str, descriptor_pb2.FileDescriptorProto]:
    """Files of the contract with their comments, by name; empty where the build left none."""
    file = resources.files("sourcecorpus.rpc") / CONTRACT_FILE
    if not file.is_file():
        return {}
    image = descriptor_pb2.FileDescriptorSet.FromString(file.read_bytes())
    return {one.name: one for one in image.file}


class DocumentedPool:
    """A descriptor pool as the reflection service asks it, whose files have their comments."""

    def __init__(self, documented: Mapping[str, descriptor_pb2.FileDescriptorProto]) -> None:
        self._documented = documented
        self._pool = descriptor_pool.Default()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the pool has
        return getattr(self._pool, name)

    def FindFileByName(self, name: str) -> _DocumentedFile:  # noqa: N802 - name of the pool
        """The file of a name.

        Raises:
            KeyError: There is none.
        """
        return _DocumentedFile(self._documented, self._pool.FindFileByName(name))

    def FindFileContainingSymbol(self, symbol: str) -> _DocumentedFile:  # noqa: N802
        """The file that defines a symbol.

        Raises:
            KeyError: There is none.
        """
        return _DocumentedFile(self._documented, self._pool.FindFileContainingSymbol(symbol))


class _DocumentedFile:
    """The part of a file descriptor that the reflection service uses."""

    def __init__(
        self,
        documented: Mapping[str, descriptor_pb2.FileDescriptorProto],
        descriptor: FileDescriptor,
    ) -> None:
        self._documented = documented
        self._descriptor = descriptor

    @property
    def name(self) -> str:
        return self._descriptor.name

    @property
    def dependencies(self) -> Iterable[_DocumentedFile]:
        return [_DocumentedFile(self._documented, one) for one in self._descriptor.dependencies]

    def CopyToProto(self, proto: descriptor_pb2.FileDescriptorProto) -> None:  # noqa: N802
        found = self._documented.get(self.name)
        if found is None:
            self._descriptor.CopyToProto(proto)
        else:
            proto.CopyFrom(found)
