"""The table by which a client decides while its peer is down."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Collection, Dict, List, Optional, Tuple


@dataclass(frozen=True)
class Table:
    """A table of the peer. Its draws are the same in every language, and at the peer, which repeats them."""

    version: str
    salt: str
    actions: List[Tuple[str, int]]  # names and weights
    made_at: str
    doc: Dict[str, Any]  # as the peer sent it

    @classmethod
    def from_json(cls, doc: Dict[str, Any]) -> Table:
        actions = [(str(a["name"]), int(a["weight"])) for a in doc["actions"]]
        if any(weight < 0 for _, weight in actions) or sum(weight for _, weight in actions) > 1 << 20:
            raise ValueError("the weights of the table are wrong")
        return cls(str(doc["version"]), str(doc["salt"]), actions, str(doc.get("made_at", "")), doc)

    def draw(self, id: str, exclude: Collection[str] = (), named: Optional[Collection[str]] = None) -> Optional[Tuple[str, float]]:
        """The action of a decision and its propensity; None if no action is left."""
        offered = [(name, weight) for name, weight in self.actions
                   if name not in exclude and (named is None or name in named)]
        if not offered:
            return None
        total = sum(weight for _, weight in offered)
        if total == 0:
            offered, total = [(name, 1) for name, _ in offered], len(offered)
        at = int.from_bytes(hashlib.sha256(f"{self.salt}/{id}".encode()).digest()[:6], "big") % total
        for name, weight in offered:
            if at < weight:
                break
            at -= weight
        return name, weight / total
