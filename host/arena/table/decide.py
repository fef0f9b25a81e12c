"""What follows from one sighting: the entries to journal, before anything is applied.

Here the rig's *what*, the tracker's *who* and the game's *does it matter* come together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..games.contract import Observed
from ..games.contract import Question as Asked
from ..store import Entry
from ..tracker import Belief, begin, dump, who
from ..words import SPECTATOR, TABLE, Command, Seen, Sighting
from .beliefs import follow
from .questions import Answer, Question, allowed, answers_of, moves_of, try_action
from .sightings import MOVED, to_json, words_of
from .story import BEAMS, Story
from .timeline import Action, Step, Timeline, apply
from .windows import Belongs, belongs, settles, step_then


class NewEntry(Protocol):
    """Makes an entry of now, not yet written: kind, cause, body."""

    def __call__(self, kind: str, cause: str, body: dict[str, Any], /) -> Entry: ...


def decide(story: Story, sighting: Sighting, entry: NewEntry) -> list[Entry]:
    """The entries that follow. Every sighting leaves one that names its edges, so that it is decided once;
    only a *settled* from which nothing follows leaves none."""
    return _Decision(story, sighting, entry).entries()


def parts(entry: NewEntry, kind: str, cause: str, bodies: Sequence[dict[str, Any]], first: int = 0) -> list[Entry]:
    """Entries that undo takes back together."""
    numbered = ((nth, body) for nth, body in enumerate(bodies, first))
    return [entry(kind, cause, {**body, "part": nth} if nth else body) for nth, body in numbered]


def body_of(command: Command) -> dict[str, Any]:
    """The journal's body for a command that the table itself gives."""
    return {"command": command.to_json(), "seat": TABLE}


class _Decision:
    def __init__(self, story: Story, sighting: Sighting, entry: NewEntry) -> None:
        self.story, self.game, self.sighting, self._entry = story, story.game, sighting, entry
        self.seen = {"sighting": to_json(sighting)}

    def entries(self) -> list[Entry]:
        sighting, seen, timeline = self.sighting, self.seen, self.story.timeline
        over = self.game.outcome(self.story.state) is not None
        if sighting.seen is Seen.SETTLED:
            about_now = settles(timeline, sighting, self.story.moved_at_us)
            return self._ask_game() if about_now and not over else []
        kept = self._entry("belief", BEAMS, seen)
        if sighting.seen is Seen.SICK:
            if (denied := self._denied()) is not None:
                return [self._question(denied)]
            kept = self._entry("note", BEAMS, {"text": words_of(sighting), **seen})
        if over:
            return [kept]
        if sighting.seen in MOVED and belongs(timeline, sighting) is not Belongs.NOW:
            question = self._late()
            return [self._question(question)] if question else [kept]
        entries = self._ask_game()
        return [*entries, kept] if sighting.seen is Seen.SICK else entries or [kept]

    def _ask_game(self) -> list[Entry]:
        """What tracker and game say to a sighting in the window that is open."""
        pieces, belief = who(self.story.belief, self.sighting, self.story.timeline.last.expectation)
        entries = self._conclude(self.game.observe(self.story.state, self.sighting, pieces))
        if belief != self.story.belief == self._followed(entries):  # else the game's commands say where the pieces are
            seen = {} if entries else self.seen
            entries.append(self._entry("belief", BEAMS, {"belief": dump(belief), **seen}))
        return entries

    def _followed(self, entries: Sequence[Entry]) -> Belief:
        """The belief after these entries, as the fold will have it."""
        belief, before = self.story.belief, self.story.timeline.last
        commands = [Command.from_json(entry.body["command"]) for entry in entries if entry.kind == "command"]
        for move in moves_of(commands, seq=self.story.seq + 1, by=BEAMS, at_us=0):
            step = apply(self.game, before, move)
            belief, before = follow(belief, before, step, move.command), step
        return belief

    def _conclude(self, observed: Observed) -> list[Entry]:
        """The entries for what a game says to a sighting in the window that is open."""
        entries: list[Entry] = []
        trial = None
        if observed.commands:
            moves = moves_of(observed.commands, seq=self.story.seq + 1, by=BEAMS, at_us=self.sighting.latest_us)
            trial = try_action(self.story.timeline, Action(self.story.seq + 1, moves))
            if trial.refused:
                text = f"{words_of(self.sighting)} The rules do not allow what follows: {trial.refused.reason}"
                return [self._entry("note", BEAMS, {"text": text, **self.seen})]
            entries = parts(self._entry, "command", BEAMS, [body_of(command) for command in observed.commands])
            entries[0].body.update(self.seen)
        if observed.question:
            timeline = trial.timeline if trial else self.story.timeline
            entries.append(self._question(self._asked(observed.question, timeline)))
        return entries

    def _asked(self, asked: Asked, timeline: Timeline) -> Question:
        """The game's question. It belongs behind the last move, or before what was seen later and came sooner."""
        answers, at_us = answers_of(asked), self.sighting.latest_us
        place = len(timeline.steps) - 1
        while (move := timeline.steps[place].move) is not None and move.at_us > at_us:
            before = timeline.steps[place - 1]
            if not (move.asked or move.by == BEAMS) or timeline.opens(place):
                break
            if not all(allowed(self.game, before, answer.commands) for answer in answers):
                break
            place -= 1
        return Question(0, asked.text, asked.section, answers, timeline.steps[place].seq, at_us)

    def _denied(self) -> Question | None:
        """Whether to strike the pass that a counter contradicts; nothing is asked where none counts."""
        step = self.story.passed_by(self.sighting.place, self.sighting.contradicts)
        if step is None:
            return None
        text = f"{words_of(self.sighting)} In the log: {step.words(SPECTATOR)}"
        answers = (Answer("strike it", strike=step.seq), Answer("keep it"))
        return Question(0, text, "", answers, step.seq, self.sighting.latest_us)

    def _late(self) -> Question | None:
        """The correction to propose for a sighting that came after its window, or that lies across its end."""
        sighting, timeline = self.sighting, self.story.timeline
        then, now = step_then(timeline, sighting), timeline.last
        if sighting.earliest_us < timeline.steps[0].at_us:
            # What the old game's pieces did must not score in the new one by itself
            answers = self._answers_at(then, f"count it in {_whose(then)}", then.seq)
            text = f"{words_of(sighting)} It cannot be told whether that was before this game began."
        elif belongs(timeline, sighting) is Belongs.UNSURE:
            answers = self._answers_at(then, f"credit it to {_whose(then)}", then.seq)
            answers += self._answers_at(now, f"count it in {_whose(now)}", now.seq)
            text = f"{words_of(sighting)} It cannot be told whether that was in {_whose(then)} or in {_whose(now)}."
        else:
            answers = self._answers_at(then, f"credit it to {_whose(then)}", then.seq)
            text = f"{words_of(sighting)} It came late: it happened in {_whose(then)}."
        if not answers:
            return None
        return Question(0, text, "", (*answers, Answer("ignore it")), now.seq, sighting.latest_us)

    def _answers_at(self, step: Step, label: str, after: int) -> list[Answer]:
        """What the game would have said to a sighting at an earlier step."""
        pieces, _ = who(begin(step.expectation), self.sighting, step.expectation)
        observed = self.game.observe(step.state, self.sighting, pieces)
        if observed.commands:
            return [Answer(label, observed.commands, after)]
        if observed.question is None:
            return []
        return [
            Answer(f"{label}: {choice}", (command,), after)
            for command, choice in observed.question.choices
            if command is not None
        ]

    def _question(self, question: Question) -> Entry:
        return self._entry("question", BEAMS, {**question.body(), **self.seen})


def _whose(step: Step) -> str:
    mover = step.expectation.mover
    return f"{mover}'s Activation" if mover else "the time when nobody was to move"
