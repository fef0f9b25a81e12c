"""Small settings of the store as a mapping, for rooms that know no store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any


class Remembered(MutableMapping[str, Any]):
    """JSON values by name, each durable when its assignment returns. ``None`` is the same as nothing."""

    def __init__(
        self,
        recall: Callable[[str], Any],
        remember: Callable[[str, Any], None],
        keys: Callable[[], list[str]],
    ) -> None:
        self._recall = recall
        self._remember = remember
        self._keys = keys

    def __getitem__(self, key: str) -> Any:
        value = self._recall(key)
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        self._remember(key, value)

    def __delitem__(self, key: str) -> None:
        self[key]
        self._remember(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())
