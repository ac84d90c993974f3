/** Rates of the cluster, from its metrics and its status. */
import { request } from './api.js';
import { el } from './dom.js';
import { count } from './text.js';

const EVERY_MS = 4_000;
const MINUTE_MS = 60_000;

/** By name: the words of a counter's rate. */
const COUNTERS = {
  palinode_store_puts_total: 'Writes/s',
  palinode_store_gets_total: 'Reads/s',
  palinode_detector_opened_total: 'Intervals opened/s',
  palinode_job_candidates_total: 'Candidates/s',
};

/** The sums of counters over all their labels; absent names have none. Pure. */
export function sums(text, names) {
  const found = {};
  for (const line of text.split('\n')) {
    const name = /^[a-z_]+/.exec(line)?.[0];
    if (names.includes(name)) {
      found[name] = (found[name] ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1));
    }
  }
  return found;
}

/** The growth of a counter of the status in the last minute. Pure. */
export function lastMinute(history, name) {
  if (history.length === 0) return 0;
  const last = history[history.length - 1];
  const first = history.find((one) => one.atMs >= last.atMs - MINUTE_MS);
  return Math.max(0, last[name] - first[name]);
}

function shown(rate) {
  if (rate === null) return '–';
  return rate >= 100 ? count(Math.round(rate)) : rate.toFixed(1);
}

/** A list of rates with update(history). A process without a metric shows no rate of it. */
export function rates() {
  const list = el('dl', { class: 'rates', 'aria-label': 'Rates' });
  let last = null;
  let isReading = false;
  let perSecond = [];

  async function read() {
    const text = await (await request('/metrics')).text();
    const now = { atMs: performance.now(), sums: sums(text, Object.keys(COUNTERS)) };
    const rate = (name) => (last && name in last.sums
      ? Math.max(0, (now.sums[name] - last.sums[name]) / ((now.atMs - last.atMs) / 1000)) : null);
    perSecond = Object.keys(now.sums).map((name) => [COUNTERS[name], rate(name)]);
    last = now;
  }

  return {
    node: list,
    update(history) {
      if (!isReading && (!last || performance.now() - last.atMs > EVERY_MS)) {
        isReading = true;
        read().catch(() => { perSecond = []; }).finally(() => { isReading = false; });
      }
      const all = [
        ...perSecond.map(([words, rate]) => [words, shown(rate)]),
        ['Violations in the last minute', String(lastMinute(history, 'violations'))],
        ['Rollbacks in the last minute', String(lastMinute(history, 'rollbacks'))],
      ];
      list.replaceChildren(...all.map(([name, value]) =>
        el('div', {}, el('dt', {}, name), el('dd', {}, value))));
    },
  };
}
