/** The figures of a plan, and a rollback by hand: runs its plan if a person confirms them. */
import { post } from './api.js';
import { confirmed } from './dialogs.js';
import { el, facts, table } from './dom.js';
import { bytes, count, millis, parseHlc, time } from './text.js';

function figures(effect) {
  return el('div', {},
    effect.unknown && el('p', { class: 'problem' }, effect.unknown),
    effect.beforeSafePoint && el('p', { class: 'problem' },
      'The target is before the safe point: programs may have published what this discards.'),
    facts([
      ['Target', `${time(parseHlc(effect.target).micros)} (HLC ${effect.target})`],
      ['Writes to discard', count(effect.writes)],
      ['Keys that change', count(effect.keys)],
      ['Replaced bytes', bytes(effect.bytes)],
      ['Clients concerned', count(effect.clientsTotal)],
      ['Known clients', effect.clients.join(', ')],
      ['Expected pause', millis(effect.expectedPauseMs)],
    ]),
    table('By node, each copy counts', [
      ['Node', (node) => String(node.node), 'num'],
      ['Writes', (node) => count(node.writes), 'num'],
      ['Keys', (node) => count(node.keys), 'num'],
      ['Reads back to', (node) => time(parseHlc(node.reach).micros)],
    ], effect.nodes));
}

/**
 * The figures of a plan that another request carries out. If the plan is refused, the reason: that
 * request may still have a way, such as the nearest snapshot.
 */
export async function figuresOf(goal) {
  try {
    return figures(await post('/api/v1/rollbacks/plan', goal));
  } catch (error) {
    return el('p', { class: 'problem' }, `The figures are not known: ${error.message}`);
  }
}

/** Plans {undo: 3} or {violation: ID}, asks, runs it, and opens the page of the new rollback. */
export async function planAndRun(goal, question) {
  const effect = await post('/api/v1/rollbacks/plan', goal);
  if (await confirmed(question, figures(effect), 'Roll back now')) {
    const opened = await post('/api/v1/rollbacks', { plan: effect.plan });
    location.hash = `#/rollbacks/${opened.epoch}`;
  }
}
