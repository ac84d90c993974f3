/** One violation: what happened, its space-time diagram, and what became of it. */
import { download, get, page } from './api.js';
import { diagram } from './diagram.js';
import { action, command, el, facts, outcomeBadge, problem, redraw, table, when } from './dom.js';
import { planAndRun } from './plan.js';
import { only } from './role.js';
import { exactTime, millis, outcome, parseHlc, plural, time, values } from './text.js';

const MISSING = 'Others may be missing: Kafka deleted them, or they are too many.';

/** The rollbacks that name the violation, as far as they are remembered. */
async function rollbacksOf(one) {
  const query = new URLSearchParams({ limit: 10_000, predicate: one.predicate });
  const { items } = await page(`/api/v1/rollbacks?${query}`);
  return items.filter((rollback) => rollback.violationIds.includes(one.id));
}

/** Without a witness file, what the violation itself shows; its ε is not known. */
function withoutFile(one) {
  return {
    first: one.first, violate: one.violate, rules: { epsilon: 'unknown' },
    intervals: one.witnesses.filter((witness) => witness.start.length > 0),
  };
}

function clockTime(hlc) {
  return when(exactTime(parseHlc(hlc).micros), `HLC ${hlc}`);
}

function intervals(caption, rows) {
  return table(caption, [
    ['Term', (row) => String(row.term), 'num'],
    ['Node', (row) => String(row.node), 'num'],
    ['Client', (row) => row.writer || '–'],
    ['Values', (row) => values(row)],
    ['From (UTC)', (row) => clockTime(row.start[row.node]), 'num'],
    ['Until (UTC)', (row) =>
      (row.end ? clockTime(row.end[row.endNode ?? row.node]) : 'no end known'), 'num'],
  ], rows);
}

/** The intervals that are no witnesses. Its element takes the focus of the button. */
function neighbourhood({ from, to, complete, intervals: others }) {
  const [start, end] = [from, to].map((hlc) => exactTime(parseHlc(hlc).micros));
  const count = others.length;
  const number = count === 0 ? 'No other interval' : plural(count, 'other interval');
  return el('section', { id: 'near', tabindex: -1, 'aria-label': 'Neighbourhood' },
    el('p', {}, `${number} of this instance from ${start} to ${end} UTC.`
      + ` ${complete ? '' : MISSING}`),
    others.length > 0 && intervals('Neighbourhood', others));
}

function summary(one, rollbacks, status) {
  return [
    el('h1', {}, `${one.predicate} ${one.binding} `, outcomeBadge(one, status)),
    el('p', {}, outcome(one, status).meaning),
    one.meaning && el('p', {}, one.meaning),
    facts([
      ['Grade', one.grade],
      ['All held at', when(time(parseHlc(one.violate).micros), `HLC ${one.violate}`)],
      ['First began', when(time(parseHlc(one.first).micros), `HLC ${one.first}`)],
      ['Ended at', one.ended === null ? 'it holds'
        : when(time(parseHlc(one.ended).micros), `HLC ${one.ended}`)],
      ['Latency', one.latencyMs === null ? null : millis(one.latencyMs)],
      ['Epoch', [...new Set([one.epoch, one.lastEpoch])].join(' to ')],
      ['Predicate', el('a', { href: `#/predicates/${one.predicate}` },
        `${one.predicate} version ${one.predicateVersion}, clause ${one.clause}`)],
      ['Rollback', rollbacks.length === 0 ? 'no remembered rollback names it'
        : rollbacks.map(({ epoch, state }) =>
          el('a', { href: `#/rollbacks/${epoch}` }, `${epoch}: ${state} `))],
      ['ID', el('code', {}, one.id)],
    ]),
  ];
}

/** Its keys, each with a link to its value right before all held. */
function lookups(one) {
  const at = `${parseHlc(one.violate).micros - 1}`;
  const keys = new Map(one.witnesses.flatMap((witness) =>
    witness.values.map(({ store, key }) => [`${store} ${key}`, { store, key, at }])));
  return keys.size > 0 && el('p', {}, 'Right before it: ', [...keys.values()].map((wanted) =>
    [el('a', { href: `#/past?${new URLSearchParams(wanted)}` }, wanted.key), ' ']));
}

/** Also with the neighbourhood, of which Kafka may have lost a part. */
async function saveAround(path, name) {
  if (!await download(`${path}/shiviz?around=true`, name)) {
    throw new Error(`The file is saved. ${MISSING}`);
  }
}

function actions(one, id, showNear) {
  const path = `/api/v1/violations/${id}`;
  const log = `violation-${id.slice(0, 10)}`;
  return el('p', { class: 'buttons' },
    action('Witness (JSON)', () => download(`${path}/witness`, `witness-${id.slice(0, 10)}.json`)),
    action('ShiViz log', () => download(`${path}/shiviz`, `${log}.log`)),
    action('ShiViz log with the neighbourhood', () => saveAround(path, `${log}-around.log`)),
    action('Show the neighbourhood', showNear),
    outcome(one).stands && only('operator', 'A rollback', action('Roll back to before it…',
      () => planAndRun({ violation: id }, 'Roll back to right before this violation?'))));
}

export async function show(main, id, state) {
  let drawn = null;
  let near = null;
  const draw = async () => {
    const one = await get(`/api/v1/violations/${id}`);
    const [rollbacks, file] = await Promise.all([rollbacksOf(one),
      get(`/api/v1/violations/${one.id}/witness`).catch((error) => error)]);
    const witness = file instanceof Error ? withoutFile(one) : file;
    const next = JSON.stringify([one, rollbacks, witness, near]);
    if (next === drawn) return;
    drawn = next;
    redraw(main, ...summary(one, rollbacks, state.status),
      ...(file instanceof Error ? [problem(file)] : []),
      ...(witness.intervals.length > 0 ? [
        diagram(witness, rollbacks, near?.intervals), intervals('Intervals', witness.intervals),
      ] : []),
      ...(near === null ? [] : [neighbourhood(near)]),
      actions(one, one.id, showNear),
      lookups(one) || '',
      el('p', {}, 'The values of its keys before and at it: ',
        command(`palinode describe violation ${one.id.slice(0, 10)}`)));
  };
  const showNear = async () => {
    near = await get(`/api/v1/violations/${id}/neighbourhood`);
    await draw();
    document.getElementById('near').focus();
  };
  await draw();
  return {
    event: (type, data) => (type === 'missed' || data.id?.startsWith(id)
      || data.violationIds?.some((named) => named.startsWith(id)) ? draw() : null),
  };
}
