/** One rollback: its phases by node, what it discarded, and its undo. */
import { get } from './api.js';
import { action, command, el, facts, problem, redraw, svg, table, when } from './dom.js';
import { planAndRun } from './plan.js';
import { only } from './role.js';
import { stateOf } from './rollbacks.js';
import { count, millis, parseHlc, time } from './text.js';

const PHASES = [['pausedMs', 'paused'], ['restoredMs', 'restored'], ['convergedMs', 'converged']];
const BAR_PX = 240;

function hlc(text) {
  return when(time(parseHlc(text).micros), `HLC ${text}`);
}

/** The phases of a node as parts of the whole time. */
function phases(node, wholeMs) {
  let from = 0;
  const parts = PHASES.filter(([name]) => node[name] !== null).map(([name, word]) => {
    const part = svg('rect', {
      class: word, x: (from / wholeMs) * BAR_PX, y: 3, height: 12,
      width: Math.max(1, ((node[name] - from) / wholeMs) * BAR_PX),
    }, svg('title', {}, `${word} ${millis(node[name])} after the opening`));
    from = node[name];
    return part;
  });
  return svg('svg', { class: 'phases', width: BAR_PX, height: 18, 'aria-hidden': 'true' }, parts);
}

/** What nodes count: with an undo, restores of the rollback count too. */
function undone(rollback) {
  if (rollback.snapshot) {
    return 'keys restored';
  }
  return rollback.undoes ? 'changes undone' : 'writes undone';
}

function byNode(rollback) {
  const times = rollback.nodes.flatMap((node) => PHASES.map(([name]) => node[name] ?? 0));
  const whole = Math.max(1, rollback.totalMs ?? 0, ...times);
  return table('Phases by node, after the opening', [
    ['Node', (node) => String(node.node), 'num'],
    ['Last step', (node) => node.done],
    ...PHASES.map(([name, word]) =>
      [el('span', { class: `key k-${word}` }, word), (node) => millis(node[name]), 'num']),
    ['Undone copies', (node) => count(node.undoneWrites), 'num'],
    ['Converged keys', (node) => count(node.convergedKeys), 'num'],
    ['Time', (node) => phases(node, whole)],
  ], rollback.nodes);
}

async function discarded(rollback) {
  if (rollback.undoneWrites === 0 && rollback.state !== 'resumed') {
    return el('section', {}, el('h2', {}, 'What it discarded'), el('p', {}, 'No write.'));
  }
  const spans = await get(`/api/v1/rollbacks/${rollback.epoch}/discarded`).catch((error) => error);
  return el('section', {},
    el('h2', {}, 'What it discarded'),
    el('p', {}, `Copies on all nodes: ${count(rollback.undoneWrites)} of ${undone(rollback)}.`),
    spans instanceof Error ? problem(spans) : table('Writes of these times were discarded', [
      ['After', (span) => hlc(span.from)],
      ['Up to', (span) => hlc(span.to)],
    ], spans.spans),
    el('p', {}, 'The writes with their clients and both values: ',
      command(`palinode rollback lost ${rollback.epoch}`)),
    el('p', {}, 'To write some of them again: ',
      command(`palinode rollback replay ${rollback.epoch}`)));
}

function next(rollback) {
  const { epoch, state } = rollback;
  if (state === 'halted') {
    return el('p', { class: 'problem' }, `${rollback.haltReason}. Remove the cause, then: `,
      command(`palinode rollback retry ${epoch}`), ' Or end it, and discard no write: ',
      command(`palinode rollback abandon ${epoch}`));
  }
  if (state === 'resumed') {
    const undo = () => planAndRun({ undo: epoch },
      `Undo rollback ${epoch}? This reinstates its cut, and discards all writes since.`);
    return el('p', {}, only('operator', 'Its undo', action('Undo this rollback…', undo)));
  }
  return rollback.endedMicros === null && rollback.byHand
    ? el('p', {}, 'Until its first restore: ', command(`palinode rollback cancel ${epoch}`)) : null;
}

async function content(epoch) {
  const one = await get(`/api/v1/rollbacks/${epoch}`);
  return [
    el('h1', {}, `Rollback ${epoch} `, stateOf(one)),
    facts([
      ['Cause', one.predicate || (one.byHand ? 'an operator' : '–')],
      ['Violations', one.violationIds.length === 0 ? null : one.violationIds.map((id) =>
        [el('a', { href: `#/violations/${id}` }, id.slice(0, 10)), ' ']).flat()],
      ['Undoes', one.undoes
        && el('a', { href: `#/rollbacks/${one.undoes}` }, `rollback ${one.undoes}`)],
      ['Undone by', one.undoneBy
        && el('a', { href: `#/rollbacks/${one.undoneBy}` }, `rollback ${one.undoneBy}`)],
      ['Target', hlc(one.target)],
      ['Target moved', one.moves.join('; ')],
      ['Scope', one.scope],
      ['Discarded no write', one.givenUp],
      ['Opened', time(one.openedMicros)],
      ['Total', millis(one.totalMs)],
      ['Attempts', one.attempts > 1 ? count(one.attempts) : null],
      ['Reason', one.reason],
      ['Was halted', one.state === 'abandoned' ? one.haltReason : null],
      ['Users', one.acts.map((act) => `${act.action} by ${act.user}, ${time(act.atMicros)}`)
        .join('; ')],
    ]),
    next(one),
    byNode(one),
    one.endedMicros === null || one.state === 'halted' ? null : await discarded(one),
  ];
}

export async function show(main, epoch) {
  const draw = async () => redraw(main, ...(await content(epoch)).filter(Boolean));
  await draw();
  return {
    event: (type, data) =>
      (type === 'missed' || (type === 'rollback' && String(data.epoch) === epoch) ? draw() : null),
  };
}
