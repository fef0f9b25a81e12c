// Talking to the daemon: who this page is, and one request for each thing a person does.

import {say} from "./text.js";

const KEPT = "arena-key";

// The key comes in the address after "#", which browsers never send, and leaves the address bar at once.
export function takeKey() {
  const given = /^#(?:key|seat-token)=([\w-]+)$/.exec(location.hash);
  if (given) {
    sessionStorage.setItem(KEPT, given[1]);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEPT);
}

export const dropKey = () => sessionStorage.removeItem(KEPT);

export function bearer() {
  const key = sessionStorage.getItem(KEPT);
  return key ? {Authorization: `Bearer ${key}`} : {};
}

// Whether an address is this machine's own, which no other machine can open.
export const isLoopback = (host) => host === "localhost" || host === "[::1]" || host.startsWith("127.");

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function read(path) {
  const answer = await fetch(path, {headers: bearer(), cache: "no-store"});
  return {status: answer.status, ...(await answer.json())};
}

// Do something. When the line breaks it is sent again with the same id, so it happens once at most.
export async function send(path, body = {}) {
  const text = JSON.stringify({...body, id: newId()});
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      const answer = await fetch(path, {
        method: "POST", headers: {"Content-Type": "application/json", ...bearer()}, body: text,
      });
      return await answer.json();
    } catch {
      await new Promise((done) => setTimeout(done, 400 * (tries + 1)));
    }
  }
  return {ok: false, error: say("noAnswer")};
}
