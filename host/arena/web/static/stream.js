// The live page: server-sent events read by fetch, so that the key travels in a header and not in a cookie.

import {bearer} from "./api.js";

const SILENT_MS = 5000; // the daemon gives a sign of life every 2 s
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 4000;

// Read for ever. onPage(page, lastSeen), onBoards(list), onState("live" | "stale", since), onRefused().
export async function follow({onPage, onBoards, onState, onRefused}) {
  let lastId = null;
  let wait = FIRST_WAIT_MS;
  let heard = Date.now();
  for (;;) {
    const abort = new AbortController();
    const watch = setInterval(() => Date.now() - heard > SILENT_MS && abort.abort(), 500);
    try {
      const headers = {...bearer(), ...(lastId === null ? {} : {"Last-Event-ID": lastId})};
      const answer = await fetch("/api/events", {headers, cache: "no-store", signal: abort.signal});
      if (answer.status === 401) {
        onRefused();
        continue;
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const {done, value} = await reader.read();
        if (done) break;
        heard = Date.now();
        text += value;
        let end;
        while ((end = text.indexOf("\n\n")) >= 0) {
          const event = parse(text.slice(0, end));
          text = text.slice(end + 2);
          if (!event) continue;
          wait = FIRST_WAIT_MS;
          if (event.name === "boards") onBoards(event.data);
          else {
            onState("live");
            onPage(event.data, lastId === null ? null : Number(lastId));
            lastId = event.id;
          }
        }
      }
    } catch {
      // Broken, refused or silent for too long: all the same to a reader, who tries again
    } finally {
      clearInterval(watch);
      abort.abort();
    }
    onState("stale", heard);
    await new Promise((done) => setTimeout(done, wait));
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

function parse(block) {
  const event = {name: "", id: null, data: ""};
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) event.name = line.slice(7);
    else if (line.startsWith("id: ")) event.id = line.slice(4);
    else if (line.startsWith("data: ")) event.data += line.slice(6);
  }
  return event.data ? {...event, data: JSON.parse(event.data)} : null;
}
