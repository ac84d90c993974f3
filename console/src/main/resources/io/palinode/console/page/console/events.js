/** The stream of changes. Reads it with fetch, since an EventSource sends no token. */
import { request } from './api.js';

/** A stream that sends nothing for so long is broken: the server comments every 4 s. */
const SILENCE_MAX_MS = 12_000;
const RETRY_MS = 2_000;

/** Splits text at the ends of its events. The rest has no end yet. Pure. */
export function parse(text) {
  const parts = text.split('\n\n');
  const rest = parts.pop();
  const events = parts.map((part) => Object.fromEntries(part.split('\n')
    .filter((line) => line && !line.startsWith(':'))
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])));
  return { rest, events: events.filter((event) => event.event) };
}

/**
 * Follows the stream while the page is visible, and continues after the last event that it has:
 * a browser opens six connections to one server, so hidden pages leave theirs to others.
 *
 * @param onEvent gets type and data; type missed means that lists must be read again
 * @param onState gets whether the stream is open
 */
export function follow(onEvent, onState) {
  let lastId = null;
  let stop = null;

  async function read(controller) {
    let silence = null;
    const wait = () => {
      clearTimeout(silence);
      silence = setTimeout(() => controller.abort(), SILENCE_MAX_MS);
    };
    try {
      wait();
      const headers = lastId === null ? {} : { 'Last-Event-ID': lastId };
      const answer = await request('/api/v1/events', { headers, stop: controller.signal });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      onState(true);
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        wait();
        const parsed = parse(text + part.value);
        text = parsed.rest;
        parsed.events.forEach(take);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  function take(event) {
    const data = JSON.parse(event.data);
    if (event.event !== 'start') onEvent(event.event, data);
    else if (data.missed || lastId === null) onEvent('missed', data);
    lastId = event.id ?? lastId;
  }

  async function loop() {
    const controller = new AbortController();
    stop = controller;
    try {
      await read(controller);
    } catch {
      // Broken or refused: the next attempt continues after the last event.
    }
    onState(false);
    setTimeout(() => stop === controller && loop(), RETRY_MS);
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      const open = stop;
      stop = null;
      open?.abort();
    } else if (!stop) {
      loop();
    }
  });
  if (!document.hidden) loop();
}
