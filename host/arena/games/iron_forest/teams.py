"""The two teams and their Mechas."""

from __future__ import annotations

ANIMAL_CLANS = "animal_clans"
IRON_FORCE = "iron_force"
TEAMS = (ANIMAL_CLANS, IRON_FORCE)

MECHAS = {
    ANIMAL_CLANS: ("BBIT", "BUBO", "HOWLER", "SPIKE"),
    IRON_FORCE: ("SHI3LD", "DRON3", "CHAS3R", "WH33L"),
}
ALL_MECHAS = MECHAS[ANIMAL_CLANS] + MECHAS[IRON_FORCE]
TEAM_OF = {mecha: team for team, mechas in MECHAS.items() for mecha in mechas}
TEAM_NAMES = {ANIMAL_CLANS: "Animal Clans", IRON_FORCE: "Iron Force"}

COPIES = 3  # Activation cards of each Mecha
MARKERS = 8  # Objective markers of a team's colour in the game box
NEUTRAL_MARKERS = 6


def other_team(team: str) -> str:
    return IRON_FORCE if team == ANIMAL_CLANS else ANIMAL_CLANS


def activation_cards(team: str) -> tuple[str, ...]:
    """A team's 12 Activation cards, unshuffled."""
    return tuple(mecha for mecha in MECHAS[team] for _ in range(COPIES))
