/** A key at an earlier time, its writes, and the keys that differ between two times. */
import { request } from './api.js';
import { action, badge, el, empty, facts, problem, table, when } from './dom.js';
import { only } from './role.js';
import { parseHlc, plural, preciseTime } from './text.js';

const STATES = { present: 'good', replaced: '', undone: 'bad' };

/** The nodes may have to go through all changes since then. */
const ANSWER_MAX_MS = 60_000;

async function read(what, parameters) {
  const answer = await request(`/api/v1/past/${what}?${new URLSearchParams(parameters)}`,
    { stop: AbortSignal.timeout(ANSWER_MAX_MS) });
  return answer.json();
}

function field(id, label, value, placeholder = null) {
  const input = el('input', { id, value, placeholder, autocomplete: 'off', spellcheck: 'false' });
  return { input, node: el('span', { class: 'field' }, el('label', { for: id }, label), input) };
}

function at(hlc) {
  return when(preciseTime(parseHlc(hlc).micros), `HLC ${hlc}`);
}

function text(value) {
  return value === null ? el('span', { class: 'quiet' }, 'absent') : el('code', {}, value);
}

/** Fields, and a button that shows what it has read below. */
function question(fields, label, answer) {
  const shown = el('div', { role: 'status' });
  const ask = action(label, async () => {
    shown.replaceChildren();
    shown.replaceChildren(...await answer());
  });
  return [
    el('p', { class: 'filters', onkeydown: (event) => event.key === 'Enter' && ask.click() },
      fields.map(({ node }) => node), ask),
    shown,
  ];
}

function differences(found) {
  const [from, to] = [found.from, found.to].map((hlc) => preciseTime(parseHlc(hlc).micros));
  const which = `between ${from} and ${to}`;
  if (found.keys.length === 0) return [empty(`No key differs ${which}.`)];
  const more = found.complete ? '' : ', and more: narrow the keys or the times';
  return [table(`${plural(found.keys.length, 'difference')} ${which}${more}`, [
    ['Key', (one) => one.key],
    ['Before', (one) => text(one.before)],
    ['After', (one) => text(one.after)],
    ['Nodes', (one) => one.nodes.join(', ')],
  ], found.keys)];
}

function became({ state, undoneBy }) {
  const word = badge(state, STATES[state]);
  return state !== 'undone' ? word
    : [word, ' by ', el('a', { href: `#/rollbacks/${undoneBy}` }, `rollback ${undoneBy}`)];
}

/** A page of writes, with a button that puts the next one below. */
function writes(found) {
  const [from, to] = [found.from, found.to].map((hlc) => preciseTime(parseHlc(hlc).micros));
  const which = `to ${found.key} between ${from} and ${to}`;
  const missing = found.missing.map(({ node, reason }) =>
    problem(new Error(`Writes may be missing: node ${node}: ${reason}`)));
  if (found.writes.length === 0) {
    return [...missing, empty(`No write ${which}. Try an earlier time, or another key.`)];
  }
  const shown = table(`${plural(found.writes.length, 'write')} ${which}, the latest first`, [
    ['At (UTC)', (one) => at(one.at)],
    ['Epoch', (one) => String(one.epoch), 'num'],
    ['Value', (one) => (one.value === null ? el('span', { class: 'quiet' }, 'deleted')
      : el('code', {}, one.value))],
    ['Client', (one) => one.client ?? el('span', { class: 'quiet' }, 'unknown')],
    ['Nodes', (one) => one.nodes.join(', ')],
    ['State', became],
  ], found.writes);
  if (found.before === null) return [...missing, shown];
  const { store, key, from: since, to: until, before } = found;
  const earlier = action('Earlier writes', async () => earlier.replaceWith(
    ...writes(await read('history', { store, key, from: since, to: until, before }))));
  return [...missing, shown, earlier];
}

/** The forms. An address may bring store, key and time. */
export function lookup(wanted) {
  const store = field('store', 'Store', wanted.store || 'default');
  const key = field('key', 'Key', wanted.key ?? '');
  const then = field('at', 'At', wanted.at ?? '-30s');
  const since = field('since', 'Writes from', '', 'as far back as it goes');
  const until = field('until', 'To', 'now');
  const from = field('from', 'From', '-1m');
  const to = field('to', 'To', 'now');
  const keys = field('keys', 'Keys', '*');
  return [
    el('h2', {}, 'Look up and compare'),
    only('operator', 'Reading values',
      el('p', { class: 'quiet' }, 'A time is UTC, such as 2026-11-21T12:00:00Z, or an HLC, or a'
        + ' time ago such as -30s, or now. Values that a rollback discarded later are there too.'),
      question([store, key, then], 'Look up', async () => {
        const found = await read('value',
          { store: store.input.value, key: key.input.value, at: then.input.value });
        return [facts([['Key', found.key], ['At', at(found.at)], ['Value', text(found.value)]])];
      }),
      question([since, until], 'History', async () => writes(await read('history', {
        store: store.input.value,
        key: key.input.value,
        ...(since.input.value && { from: since.input.value }),
        to: until.input.value,
      }))),
      question([from, to, keys], 'Compare', async () => differences(await read('differences', {
        store: store.input.value,
        from: from.input.value,
        to: to.input.value,
        keys: keys.input.value || '*',
      })))),
  ];
}
