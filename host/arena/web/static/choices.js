// What may be done now: the question that waits, what the toy table suggests, and all choices in their groups.

import {el} from "./dom.js";
import {mark} from "./marks.js";
import {pickable, picker} from "./pickers.js";
import {say} from "./text.js";

const MANY = 9; // a longer group stays folded, unless it is the first
const SELDOM = new Set(["White lines", "Stuck in a Door", "A pass was missed", "Where it stands", "Cards on the table"]);

const keyOf = (command) => JSON.stringify(Object.entries(command).sort());

// A suggestion names only some of a command's choices: all that it names must agree.
export const matches = (partial, command) =>
  Object.entries(partial).every(([name, value]) => value === null || command[name] === value);

function groupsOf(legal) {
  const groups = new Map();
  for (const choice of legal) groups.set(choice.group, [...(groups.get(choice.group) ?? []), choice]);
  return [...groups].map(([name, choices], nth) => ({
    name, choices, folded: nth > 0 && (SELDOM.has(name) || choices.length > MANY),
  }));
}

// Places at which a choice that is not folded may be made: the picture lights them up.
export function readyPlaces(legal) {
  const shown = groupsOf(legal).filter((group) => !group.folded).flatMap((group) => group.choices);
  return new Set(shown.flatMap(({command}) => [command.place, command.box]).filter(Boolean));
}

// "BBIT hit SHI3LD" and "BBIT hit DRON3" say the same of different Mechas: "BBIT hit …".
function sentenceOf({command, label}) {
  const [value, ...others] = Object.entries(command).filter(([name]) => name !== "do").map(([, each]) => each);
  return value && !others.length && label.includes(value) ? label.replace(value, "…") : null;
}

// Choices that say the same are one row below their common sentence; the whole label stays the accessible name.
function bySentence(own) {
  const rows = new Map();
  for (const choice of own) {
    const sentence = sentenceOf(choice);
    const key = own.filter((each) => sentence && sentenceOf(each) === sentence).length > 1 ? sentence : choice;
    rows.set(key, [...(rows.get(key) ?? []), choice]);
  }
  return [...rows].map(([sentence, same]) => (typeof sentence === "string" ? {sentence, same} : same[0]));
}

function button(choice, view, give, extra = "", text = choice.label, marked = true) {
  const team = marked && view.mechas?.[choice.command.piece ?? choice.command.card ?? choice.command.hit]?.team;
  return el("button", {
    type: "button", class: `choice ${choice.default ? "main" : ""} ${extra}`, onclick: () => give(choice.command),
    dataset: {key: keyOf(choice.command), do: choice.command.do}, "aria-label": text === choice.label ? null : choice.label,
  }, team && !choice.default ? mark(team) : null, text);
}

export function choices(view, legal, suggested, give) {
  const wanted = new Set(suggested.map(({command}) => keyOf(command)));
  const extra = (choice) => (wanted.has(keyOf(choice.command)) ? "suggested" : "");
  const main = legal.find((choice) => choice.default);
  const rest = legal.filter((choice) => choice !== main);
  const drawn = groupsOf(legal).map(({name, folded}) => {
    const own = rest.filter((choice) => choice.group === name);
    if (!own.length) return null;
    const plain = (choice, text, marked) => button(choice, view, give, extra(choice), text, marked);
    const inside = folded && pickable(own) ? picker(name, own, view, (choice, text) => plain(choice, text, false))
      : byCard(own, view).map((each) => {
        if (each.choices) {
          return el("details", {}, el("summary", {dataset: {key: `card ${each.name}`}}, each.name),
            el("div", {class: "row"}, each.choices.map((choice) => plain(choice))));
        }
        if (!each.same) return plain(each);
        return el("div", {class: "same", role: "group", "aria-label": each.sentence}, el("p", {}, each.sentence),
          el("div", {class: "row"}, each.same.map((choice) => plain(choice, valueOf(choice)))));
      });
    return folded
      ? el("details", {class: "group folded"}, el("summary", {dataset: {key: `group ${name}`}}, name, el("span", {class: "count"}, own.length)), el("div", {class: "row"}, inside))
      : el("div", {class: "group", role: "group", "aria-label": name}, el("h3", {}, name), el("div", {class: "row"}, inside));
  });
  return [main ? button(main, view, give, extra(main)) : null, ...drawn.filter((each) => each && !each.matches("details")),
    el("div", {class: "seldom"}, drawn.filter((each) => each?.matches("details")))];
}

const valueOf = ({command}) => Object.entries(command).find(([name]) => name !== "do")[1];

// Several targets of one card fold under the card's name; other choices are put together by what they say.
function byCard(own, view) {
  const names = new Map(view.players.flatMap((player) => player.power_ups.map((card) => [card.id, card.name])));
  const found = [];
  for (const choice of own) {
    const card = choice.command.do === "play" ? choice.command.card : null;
    const same = card && own.filter((other) => other.command.do === "play" && other.command.card === card);
    if (!card || same.length < 3) found.push(choice);
    else if (same[0] === choice) found.push({name: names.get(card) ?? card, choices: same});
  }
  const cards = found.filter((each) => each.choices);
  return [...bySentence(found.filter((each) => !each.choices)), ...cards];
}

// Done alone says nothing where the toy table saw something that a person may confirm first.
export function worthSaying(suggested) {
  const more = suggested.filter(({command}) => Object.keys(command).length > 1);
  return more.length ? more : suggested;
}

// The default has its own large button, which is marked instead of standing here a second time.
export function suggestions(view, hints, give) {
  const suggested = hints.filter((choice) => !choice.default);
  if (!suggested.length) return [];
  return el("div", {class: "suggests"}, el("p", {}, say("suggests")),
    el("div", {class: "row"}, suggested.map((choice) => button(choice, view, give, "suggested"))));
}

export function question(asked, answer) {
  if (!asked) return [];
  return el("section", {class: "question", role: "group", "aria-label": say("asked")},
    el("p", {class: "over"}, say("asked")), el("h2", {}, asked.text),
    el("div", {class: "answers"}, asked.choices.map((label, nth) => answer
      ? el("button", {type: "button", class: nth ? "choice" : "choice main", dataset: {key: `${asked.id} ${nth}`}, onclick: () => answer(asked.id, nth)}, label)
      : el("span", {class: "choice still"}, label))),
    asked.section ? el("p", {class: "faint"}, say("rule", {section: asked.section})) : null);
}
