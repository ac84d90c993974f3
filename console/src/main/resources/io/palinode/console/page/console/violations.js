/** All remembered violations, live, the latest first. */
import { get, page } from './api.js';
import { command, el, empty, noViolation, outcomeBadge, problem, when } from './dom.js';
import { count, millis, parseHlc, time } from './text.js';
import { windowed } from './windowed.js';

const PAGE_ITEMS = 500;

const columns = (state) => [
  ['When (UTC)', (one) => el('a', { href: `#/violations/${one.id}` },
    when(time(parseHlc(one.violate).micros), `HLC ${one.violate}`))],
  ['Violation of', (one) => `${one.predicate} ${one.binding}`],
  ['Grade', (one) => one.grade, 'c-grade'],
  ['Held', (one) => (one.ended === null ? 'holds' : 'ended'), 'c-held'],
  ['Outcome', (one) => outcomeBadge(one, state.status)],
  ['Latency', (one) => millis(one.latencyMs), 'c-latency num'],
];

/** The list after a violation was published: replaced in place, or added as the first. Pure. */
export function merged(items, violation) {
  const at = items.findIndex((one) => one.id === violation.id);
  return at < 0 ? [violation, ...items] : items.with(at, violation);
}

function option(value, label) {
  return el('option', { value }, label);
}

function first(predicates) {
  return predicates.length === 0
    ? empty('No violation, and no predicate that could have one. Apply one first:',
      command('palinode apply -f edge-mutex.yaml'))
    : noViolation();
}

export async function show(main, unused, state) {
  const predicates = await get('/api/v1/predicates');
  let items = [];
  let next = null;
  let total = 0;
  let isReading = false;
  const ofPredicate = el('select', { id: 'of-predicate', onchange: restart }, option('', 'all'),
    predicates.map((one) => option(one.name, one.name)));
  const ofGrade = el('select', { id: 'of-grade', onchange: restart }, option('', 'all'),
    ['definite', 'possible', 'uncertain'].map((grade) => option(grade, grade)));
  const shown = el('p', { class: 'quiet', role: 'status' });
  const place = el('div');
  const list = windowed('Violations', columns(state), () => read().catch(report));
  main.append(
    el('h1', {}, 'Violations'),
    el('div', { class: 'filters' },
      el('label', { for: 'of-predicate' }, 'Predicate '), ofPredicate,
      el('label', { for: 'of-grade' }, ' Grade '), ofGrade, shown),
    place);

  function report(error) {
    shown.replaceChildren(problem(error));
  }

  function draw(addedBefore = 0) {
    const isFiltered = ofPredicate.value || ofGrade.value;
    if (items.length > 0) {
      if (!list.node.isConnected) place.replaceChildren(list.node);
      list.set(items, addedBefore);
    } else {
      place.replaceChildren(isFiltered ? empty('No violation matches.') : first(predicates));
    }
    shown.textContent = `${count(items.length)} of ${count(total)} read`;
  }

  /** Reads the next page; the list asks for it near its end. */
  async function read() {
    if (isReading || next === null) return;
    isReading = true;
    const path = next;
    try {
      const answer = await page(path);
      if (path !== next) return;
      const known = new Set(items.map((one) => one.id));
      items = [...items, ...answer.items.filter((one) => !known.has(one.id))];
      ({ next, total } = answer);
    } finally {
      isReading = false;
    }
    draw();
  }

  async function restart() {
    const filters = Object.entries({ predicate: ofPredicate.value, grade: ofGrade.value })
      .filter(([, value]) => value);
    next = `/api/v1/violations?${new URLSearchParams([['limit', PAGE_ITEMS], ...filters])}`;
    items = [];
    await read().catch(report);
  }

  function event(type, violation) {
    if (type === 'missed') return restart();
    const isWanted = type === 'violation'
      && (!ofPredicate.value || violation.predicate === ofPredicate.value)
      && (!ofGrade.value || violation.grade === ofGrade.value);
    if (!isWanted) return null;
    const before = items.length;
    items = merged(items, violation);
    total += items.length - before;
    draw(items.length - before);
    return null;
  }

  await restart();
  return { event, close: list.close };
}
