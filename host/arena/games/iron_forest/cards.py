"""The Power-up cards of a content pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .content_check import ORIGINS, SCHEMA, Reader

DECK_SIZE = 16
EFFECTS = ("repair", "barricade", "sabotage", "mine", "damage", "recall", "draw")


@dataclass(frozen=True, slots=True)
class Card:
    """One kind of card; ``origin`` is that of its effect, ``name_origin`` that of its name."""

    id: str
    name: str
    name_origin: str
    origin: str
    text: str
    effect: str
    copies: int


@dataclass(frozen=True, slots=True)
class Cards:
    kinds: Mapping[str, Card]

    @property
    def deck(self) -> tuple[str, ...]:
        """All cards of the game box, by id, unshuffled."""
        return tuple(card.id for card in self.kinds.values() for _ in range(card.copies))

    def name(self, kind: str) -> str:
        return self.kinds[kind].name

    def with_effect(self, effect: str) -> str:
        """The kind of card whose effect lies on the table."""
        return next(card.id for card in self.kinds.values() if card.effect == effect)


def load_cards(text: object, file: str = "the Power-up pack") -> Cards:
    """The cards in a TOML text; ``ContentError`` lists what is wrong with them."""
    reader = Reader(file)
    data = reader.parse(text)
    reader.unknown(data, "", ("pack", "card"))
    pack = reader.table(data, "pack")
    reader.unknown(pack, "pack", ("schema", "game", "id", "title", "origin"))
    reader.number(pack, "schema", "pack", SCHEMA, SCHEMA)
    reader.word(pack, "game", "pack", ("iron_forest",))
    kinds: dict[str, Card] = {}
    rows = data.get("card")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        reader.wrong("card", rows, "a list of [[card]]")
        rows = []
    for nth, row in enumerate(rows):
        where = f"card[{nth}]"
        reader.unknown(row, where, ("id", "name", "name_origin", "origin", "text", "effect", "copies"))
        card = Card(
            id=reader.word(row, "id", where),
            name=reader.word(row, "name", where),
            name_origin=reader.word(row, "name_origin", where, ORIGINS),
            origin=reader.word(row, "origin", where, ORIGINS),
            text=reader.word(row, "text", where),
            effect=reader.word(row, "effect", where, EFFECTS),
            copies=reader.number(row, "copies", where, 1, DECK_SIZE),
        )
        same = next((kind for kind in kinds.values() if kind.id == card.id or kind.effect == card.effect), None)
        if same is not None:
            reader.wrong(where, card.id, f"another id and effect than those of {same.name}")
        kinds[card.id] = card
    count = sum(card.copies for card in kinds.values())
    if count != DECK_SIZE:
        reader.wrong("card.copies", count, f"{DECK_SIZE} cards in all")
    reader.check()
    return Cards(kinds)
