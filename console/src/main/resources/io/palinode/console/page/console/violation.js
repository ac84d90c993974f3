/** One violation: what happened, its space-time diagram, and what became of it. */
import { download, get, page } from './api.js';
import { diagram } from './diagram.js';
import { action, command, el, facts, outcomeBadge, problem, table, when } from './dom.js';
import { planAndRun } from './plan.js';
import { exactTime, millis, outcome, parseHlc, time, values } from './text.js';

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

function intervals(witness) {
  return table('Intervals', [
    ['Term', (row) => String(row.term), 'num'],
    ['Node', (row) => String(row.node), 'num'],
    ['Client', (row) => row.writer || '–'],
    ['Values', (row) => values(row)],
    ['From (UTC)', (row) => clockTime(row.start[row.node]), 'num'],
    ['Until (UTC)', (row) =>
      (row.end ? clockTime(row.end[row.endNode ?? row.node]) : 'open'), 'num'],
  ], witness.intervals);
}

function summary(one, rollbacks, status) {
  return [
    el('h1', {}, `${one.predicate} ${one.binding} `, outcomeBadge(one, status)),
    el('p', {}, outcome(one, status).meaning),
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

function actions(one, id) {
  const path = `/api/v1/violations/${id}`;
  return el('p', { class: 'buttons' },
    action('Witness (JSON)', () => download(`${path}/witness`, `witness-${id.slice(0, 10)}.json`)),
    action('ShiViz log', () => download(`${path}/shiviz`, `violation-${id.slice(0, 10)}.log`)),
    outcome(one).stands && action('Roll back to before it…', () => planAndRun({ violation: id },
      'Roll back to right before this violation?')));
}

export async function show(main, id, state) {
  let drawn = null;
  const draw = async () => {
    const one = await get(`/api/v1/violations/${id}`);
    const [rollbacks, file] = await Promise.all([rollbacksOf(one),
      get(`/api/v1/violations/${one.id}/witness`).catch((error) => error)]);
    const witness = file instanceof Error ? withoutFile(one) : file;
    const next = JSON.stringify([one, rollbacks, witness]);
    if (next === drawn) return;
    drawn = next;
    main.replaceChildren(...summary(one, rollbacks, state.status),
      ...(file instanceof Error ? [problem(file)] : []),
      ...(witness.intervals.length > 0 ? [diagram(witness, rollbacks), intervals(witness)] : []),
      actions(one, one.id),
      el('p', {}, 'The values of its keys before and at it: ',
        command(`palinode describe violation ${one.id.slice(0, 10)}`)));
  };
  await draw();
  return {
    event: (type, data) => (type === 'missed' || data.id?.startsWith(id)
      || data.violationIds?.some((named) => named.startsWith(id)) ? draw() : null),
  };
}
