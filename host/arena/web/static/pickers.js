// A long group of choices as two short rows: first the Mecha, then the place.

import {el} from "./dom.js";
import {mark} from "./marks.js";
import {say} from "./text.js";

const chosen = new Map(); // group -> the Mecha that a person picked, and the Activation in which that counts

const activationOf = ({game_id, active, round, turn, step}) => JSON.stringify([game_id, active?.mecha, active?.seat, round, turn, step]);

// Whether each choice names a Mecha, and some Mecha has several.
export function pickable(choices) {
  const pieces = new Set(choices.map(({command}) => command.piece));
  return !pieces.has(undefined) && pieces.size > 1 && choices.length > pieces.size;
}

// What the labels have in common at their beginning is said once by the group and the Mecha.
function shortened(labels) {
  const words = labels.map((label) => label.split(" "));
  let same = 0;
  while (words.length > 1 && words.every((each) => each.length > same + 1 && each[same] === words[0][same])) same += 1;
  return words.map((each) => each.slice(same).join(" "));
}

// button(choice, text) makes the button of one choice.
export function picker(group, choices, view, button) {
  const pieces = [...new Set(choices.map(({command}) => command.piece))];
  const places = el("div", {class: "row places"});
  const chips = pieces.map((piece) => el("button", {
    type: "button", class: "choice chip-choice", dataset: {key: `pick ${group} ${piece}`}, onclick: () => pick(piece),
  }, mark(view.mechas[piece]?.team), piece));
  function pick(piece) {
    chosen.set(group, {piece, activation: activationOf(view)});
    show(piece);
  }
  function show(piece) {
    chips.forEach((chip, nth) => chip.setAttribute("aria-pressed", String(pieces[nth] === piece)));
    const own = choices.filter(({command}) => command.piece === piece);
    const texts = shortened(own.map(({label}) => label));
    places.replaceChildren(...own.map((choice, nth) => button(choice, texts[nth])));
  }
  const own = chosen.get(group);
  if (own?.activation !== activationOf(view)) chosen.delete(group);
  const before = chosen.get(group)?.piece;
  show(pieces.includes(before) ? before : pieces.includes(view.active?.mecha) ? view.active.mecha : pieces[0]);
  return el("div", {class: "picker"},
    el("div", {class: "row pieces", role: "group", "aria-label": say("whichMecha")}, chips), places);
}
