// The page: follows the table and draws what changed; hands what a person picks to the daemon.

import {dropKey, isLoopback, read, send, takeKey} from "./api.js";
import {createArena} from "./arena_picture.js";
import {choices, matches, question, readyPlaces, suggestions, worthSaying} from "./choices.js";
import {addPass, boards, correct, menu, newGame, phones} from "./dialogs.js";
import {el, redraw} from "./dom.js";
import {log} from "./log.js";
import * as panels from "./panels.js";
import {follow} from "./stream.js";
import {fillPage, say} from "./text.js";
import {embed} from "./toy.js";

const CALM_MS = 350; // after a tap, so that a double tap does not answer what comes next
const SAYS_MS = 7000;

const $ = (id) => document.getElementById(id);
const now = {seat: "spectator", page: null, map: null, arena: null, partial: [], stale: false, since: null, heard: 0, calm: false};

const referee = () => now.seat === "table";
const playing = () => now.seat !== "spectator";

function tell(text, section = "") {
  const note = el("p", {}, text, section ? el("span", {class: "faint"}, ` ${say("rule", {section})}`) : null);
  $("says").replaceChildren(note);
  setTimeout(() => note.remove(), SAYS_MS);
}
const refused = (answer) => tell(answer.error, answer.section);

// --- what a person does

async function calmly(work) {
  if (now.calm || now.stale) return;
  now.calm = true;
  still();
  const rest = new Promise((done) => setTimeout(done, CALM_MS));
  const answer = await work();
  if (!answer.ok) refused(answer);
  await rest;
  now.calm = false;
  still();
}

const give = (command) => calmly(async () => {
  const answer = await send("/api/command", {command, activation: now.page.activation});
  if (answer.ok) now.partial = now.partial.filter((each) => !matches(each, command));
  draw();
  return answer;
});
const answer = (id, choice) => calmly(() => send("/api/answer", {question: id, choice}));

function still() {
  for (const button of document.querySelectorAll("#act button")) {
    button.setAttribute("aria-disabled", String(now.calm || now.stale));
  }
}

function pick(id, title, more) {
  const {legal} = now.page;
  const here = legal.filter(({command}) => Object.entries(command).some(([name, value]) => name !== "do" && value === id));
  if (here.length === 1 && readyPlaces(legal).has(id)) return void give(here[0].command);
  menu(title, here, give, more);
}

function pickPlace(id) {
  if (!playing() || !now.page?.view) return;
  const {map} = now;
  const pass = referee() && (map.doors[id] || map.holes[id]);
  const more = pass ? [[say("addPassHere"), () => addPass(now.page, map, id, refused)]] : [];
  const kind = map.doors[id] ? "door" : map.holes[id] ? "hole" : map.boxes[id] ? "box" : "launcher";
  pick(id, say("hereNow", {place: say(`placeAt.${kind}`, {place: id})}), more);
}

function pickPiece(name) {
  if (playing() && now.page?.view) pick(name, say("pieceNow", {piece: name}), []);
}

// An undo takes the newest step back. After a correction that may be the correction, which is no step to be named.
function undoTitle({log: entries}) {
  const [step] = entries.filter((entry) => entry.can_strike).sort((one, other) => other.seq - one.seq);
  const corrected = entries.some(({kind, seq}) => ["strike", "insert"].includes(kind) && seq >= (step?.seq ?? 0));
  return step && !corrected ? say("undoStep", {text: step.text.replace(/\.$/, "")}) : say("undoTitle");
}

const tools = {
  undo: () => void correct(now.page.view, undoTitle(now.page), "/api/undo", {steps: 1}, refused),
  addPass: () => addPass(now.page, now.map, null, refused),
  strike: (entry) => void correct(now.page.view, say("strikeTitle"), "/api/strike", {seq: entry.seq}, refused, entry.text),
};

// --- what it shows

const activationOf = (view) => [view?.round, view?.turn, view?.step].join();

// What the toy table saw is about the Activation in which it saw it
function suggested() {
  const {legal, view} = now.page;
  now.partialOf ??= activationOf(view); // the toy table was there before the first page
  if (now.partialOf !== activationOf(view)) return [];
  return worthSaying(now.partial.flatMap((each) => legal.find(({command}) => matches(each, command)) ?? []));
}

function draw() {
  const {page, map} = now;
  if (!page) return;
  const {view} = page;
  document.body.classList.toggle("no-game", !view);
  document.body.dataset.seat = playing() ? (referee() ? "table" : "player") : "spectator";
  redraw($("menu"), [now.seat, Boolean(view), ownName()], menuBar);
  redraw($("foot"), [view?.house, page.boards], () => panels.foot(page, map));
  if (!view) return void redraw($("turn"), now.seat, noGame);
  const hints = playing() ? suggested() : [];
  redraw($("scenario"), view.scenario, () => panels.scenario(view));
  redraw($("turn"), [view.active, view.step, view.round, view.turn, view.hands, view.teams], () => panels.turn(view));
  redraw($("question"), [page.question, referee()], () => question(page.question, referee() ? answer : null));
  redraw($("prompt"), view.prompt, () => document.createTextNode(view.prompt ?? ""));
  redraw($("suggested"), hints, () => suggestions(view, hints, give));
  redraw($("choices"), [page.legal, hints, page.game_id, view.active, activationOf(view)], () => choices({...view, game_id: page.game_id}, page.legal, hints, give));
  redraw($("teams"), [view.teams, view.players, view.mechas, view.active, view.placed_cards, view.power_ups], () => [panels.goal(view), ...panels.teams(view), panels.hands(view)]);
  redraw($("result"), [view.outcome, referee()], () => panels.result(view, referee() ? openNewGame : null));
  redraw($("log"), [page.log, page.can_undo, referee(), now.since], () => log(page, referee() ? tools : null, now.since));
  now.arena.update(page, {ready: playing() ? readyPlaces(page.legal) : new Set(), active: playing()});
  const whose = view.active ? `${view.active.mecha ?? "…"} · ` : "";
  document.title = `${page.question && referee() ? "? " : ""}${whose}${say("title")}`;
  still();
}

const ownName = () => now.page?.view?.players.find((player) => player.seat === now.seat)?.name;

function menuBar() {
  if (!referee()) return el("span", {class: "tag seat"}, playing() ? ownName() ?? say("seatPlayer", {seat: now.seat}) : say("spectator"));
  const item = (key, action) => el("button", {type: "button", class: "small", dataset: {key}, onclick: action}, say(key));
  return [item("newGame", openNewGame), item("phones", () => void phones(now.page?.view)), item("boards", () => boards(now.page?.boards ?? [], refused))];
}

const openNewGame = () => newGame(now.page?.view);

function noGame() {
  return el("div", {class: "empty"}, el("h2", {}, say("noGame")),
    el("p", {}, say(referee() ? "noGameReferee" : "noGameSpectator")),
    referee() ? el("button", {type: "button", class: "choice main", onclick: openNewGame}, say("newGame")) : null);
}

function badge() {
  const silent = Math.round((Date.now() - now.heard) / 1000);
  const text = now.stale ? (silent > 1 ? say("stale") : say("staleShort"))
    : now.page?.paused ? say("paused") : now.page ? say("live") : say("connecting");
  document.body.classList.toggle("stale", now.stale);
  const state = now.stale ? "stale" : now.page?.paused ? "paused" : "live";
  redraw($("link"), [state, text], () => el("span", {class: `badge ${state}`}, text));
}

// --- following

async function begin() {
  fillPage(document);
  badge();
  let me = null;
  takeKey();
  for (;;) {
    try {
      me = await read("/api/me");
      if (me.status === 401) {
        dropKey();
        tell(say("badKey"));
        continue;
      }
      now.map = await read("/api/map");
      break;
    } catch {
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
  now.seat = me.seat;
  now.arena = createArena($("arena"), now.map, {onPlace: pickPlace, onPiece: pickPiece});
  // A toy table on the daemon's own machine is nothing that a phone could open
  if (me.toy_url && (isLoopback(location.hostname) || !isLoopback(new URL(me.toy_url).hostname))) {
    document.body.classList.add("with-toy");
    embed($("toy"), me.toy_url, (commands) => {
      now.partial = commands;
      now.partialOf = now.page ? activationOf(now.page.view) : null;
      draw();
    });
  }
  setInterval(() => now.stale && badge(), 1000);
  await follow({
    onPage(page, last) {
      if (last !== null && now.wasStale) {
        const away = page.log.filter((entry) => entry.seq > last).length;
        now.since = away ? last : now.since;
        if (away) tell(say("back", {count: away}));
      }
      now.wasStale = false;
      now.page = page;
      draw();
      badge();
    },
    onBoards(list) {
      if (now.page) now.page.boards = list;
      draw();
    },
    onState(state, since) {
      now.stale = state === "stale";
      if (now.stale) {
        now.wasStale = true;
        now.heard = since;
      }
      badge();
      still();
    },
    onRefused() {
      dropKey();
      now.seat = "spectator";
      tell(say("badKey"));
    },
  });
}

window.addEventListener("hashchange", () => {
  if (takeKey()) location.reload();
});
void begin();
