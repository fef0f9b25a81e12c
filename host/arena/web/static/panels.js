// Whose turn it is, the teams with their score and cards, the winner, and the line at the foot.

import {el} from "./dom.js";
import {mark, styleOf} from "./marks.js";
import {say} from "./text.js";

const playersOf = (view, team) => view.players.filter((player) => player.team === team);

export function where(mecha) {
  const boxes = mecha.boxes.map((box) => (box === "outside" ? say("outside") : box));
  const at = boxes.length > 1 ? say("unsure", {boxes: boxes.join(say("or"))}) : boxes[0];
  return mecha.stuck ? `${at}, ${say("stuck", {place: mecha.stuck})}` : at;
}

export function turn(view) {
  const active = view.active;
  if (!active) return [];
  const team = view.teams[active.team];
  const scores = el("p", {class: "scores"}, Object.entries(view.teams).map(([id, each]) => el("span", {
    class: `${styleOf(id)}`, "aria-label": say("scoreLabel", {team: each.name, score: each.score, goal: each.goal}),
  }, mark(id, "1.1em"), el("b", {}, each.score), el("span", {class: "faint"}, `/${each.goal}`))));
  const steps = el("ol", {class: "steps", "aria-label": say("step", {step: view.step, name: say("steps")[view.step]})},
    [1, 2, 3, 4].map((n) => el("li", {class: n < view.step ? "past" : n === view.step ? "now" : ""})));
  return el("div", {class: `turn ${styleOf(active.team)}`},
    el("div", {class: "face"}, mark(active.team, "100%")),
    el("div", {class: "who"},
      el("p", {class: "over"}, active.mecha ? say("activeMecha") : say("noMecha")),
      el("h2", {class: "mecha-name"}, active.mecha ?? "…"),
      el("p", {}, el("b", {}, active.player), active.player === team.name ? "" : ` · ${team.name}`, ` · ${say("token", {token: active.token})}`)),
    el("div", {class: "when"}, scores,
      el("p", {}, `${say("round", {round: view.round})} · ${say("turnNumber", {turn: view.turn})}`),
      steps,
      el("p", {class: "faint"}, say("step", {step: view.step, name: say("steps")[view.step]}))),
    view.hands?.length ? el("p", {class: "hands"}, say("hands", {pieces: view.hands.join(", ")})) : null);
}

export function teams(view) {
  return Object.entries(view.teams).map(([id, team]) => el("article", {
    class: `team ${styleOf(id)} ${view.active?.team === id ? "to-move" : ""}`, dataset: {team: id},
  },
  el("header", {},
    mark(id, "1.5em"), el("h3", {}, team.name),
    el("p", {class: "score", "aria-label": say("scoreLabel", {team: team.name, score: team.score, goal: team.goal})},
      el("b", {}, team.score), el("span", {}, ` ${say("of", {goal: team.goal})}`))),
  pips(team),
  el("ul", {class: "mechas"}, Object.entries(view.mechas).filter(([, mecha]) => mecha.team === id).map(([name, mecha]) =>
    el("li", {class: [mecha.active && "active", mecha.damaged && "damaged", mecha.ko && "ko"].filter(Boolean).join(" "), dataset: {piece: name}},
      el("b", {}, name), el("span", {class: "at"}, where(mecha)),
      mecha.ko ? el("em", {}, say("ko")) : mecha.damaged ? el("em", {}, say("damaged")) : mecha.active ? el("i", {}, say("active")) : null,
      (view.placed_cards?.sabotages ?? []).includes(name) ? el("em", {}, say("cards.sabotages")) : null))),
  el("div", {class: "deck"},
    el("span", {class: "stack", "aria-hidden": "true"}), el("span", {}, say("deck", {count: team.deck})),
    el("div", {class: "played"}, el("span", {class: "faint"}, `${say("discards")}: `),
      team.discard.length ? team.discard.map((name, nth) =>
        el("span", {class: `card ${nth === team.discard.length - 1 && view.active?.team === id ? "latest" : ""}`}, name)) : say("none"))),
  ));
}

export const hands = (view) => el("article", {class: "hands-of"}, el("h3", {}, say("powerUps")), view.players.map((player) => hand(player, view)), powerUps(view));

function pips(team) {
  return el("div", {class: "pips", "aria-hidden": "true"},
    Array.from({length: team.goal}, (_, n) => el("i", {class: n < team.score ? "full" : ""})));
}

function hand(player, view) {
  const cards = player.power_ups;
  return el("details", {class: `hand ${styleOf(player.team)}`, open: matchMedia("(min-width: 1100px)").matches, dataset: {seat: player.seat}},
    el("summary", {dataset: {key: `hand ${player.seat}`}},
      mark(player.team), " ", el("b", {}, player.name), ` · ${player.tokens.map((token) => say("token", {token})).join(", ")} · `,
      say("powerUpCount", {count: cards.length})),
    el("ul", {}, cards.map((card) => el("li", {class: `power-up ${card.face_down ? "down" : ""} ${card.playable && player.seat === view.active?.seat ? "playable" : ""}`},
      el("b", {}, card.name), card.origin === "house" ? house() : null,
      player.tokens.length > 1 ? el("span", {class: "tag"}, say("token", {token: card.token})) : null,
      card.face_down ? el("p", {class: "faint"}, say("faceDown")) : el("p", {}, card.text)))));
}

// The Power-up deck, and the card that a team looks at before it decides who gains it.
function powerUps(view) {
  const {deck, discard = [], seen = []} = view.power_ups ?? {};
  if (deck === undefined) return null;
  return el("p", {class: "power-deck faint"}, say("powerUpDeck", {count: deck}),
    discard.length ? ` · ${say("discarded", {cards: discard.join(", ")})}` : "",
    seen.map((card) => el("span", {class: "power-up"}, el("b", {}, card.name), card.origin === "house" ? house() : null, ` ${card.text}`)));
}

export const house = () => el("span", {class: "tag house", title: say("houseTitle")}, say("house"));

export function result(view, newGame) {
  if (!view.outcome) return [];
  const [first] = view.outcome.winners;
  const names = view.outcome.winners.map((team) => view.teams[team]?.name ?? team).join(say("and"));
  return el("section", {class: `winner ${styleOf(first)}`, "aria-label": say("winner")},
    mark(first, "4.5rem"),
    el("div", {}, el("p", {class: "over"}, say("winner")), el("h2", {}, names), el("p", {}, view.outcome.text),
      el("p", {class: "final"}, Object.entries(view.outcome.scores).map(([team, score]) =>
        el("span", {}, mark(team), ` ${view.teams[team]?.name ?? team} `, el("b", {}, score))))),
    newGame ? el("button", {class: "main", onclick: newGame, dataset: {key: "new game"}}, say("newGame")) : null);
}

export function scenario(view) {
  const {name, origin, goal, text} = view.scenario;
  return [el("b", {}, name), origin === "house" ? house() : null, el("span", {class: "faint"}, ` ${text ?? say("goal", {goal})}`)];
}

export const goal = (view) => el("p", {class: "goal faint"}, say("goal", {goal: view.scenario.text ?? view.scenario.goal}));

// Boards in words, and what of the content was invented here: always in sight.
export function foot(page, map) {
  const boards = page.boards ?? [];
  const told = [...(page.view?.house ?? []), ...(map.origin === "house" ? [say("houseMap", {title: map.title})] : [])];
  return [
    el("ul", {class: "boards", "aria-label": say("boards")}, boards.length
      ? boards.map((board) => el("li", {class: `board ${board.state}`}, el("i", {"aria-hidden": "true"}), board.words || `${board.name}: ${board.state}`))
      : el("li", {}, say("boardsNone"))),
    told.length ? el("details", {class: "made-here"},
      el("summary", {dataset: {key: "house"}}, house(), el("span", {}, told.join(" "))), el("p", {}, told.join(" "))) : null,
  ];
}
