/** What is wrong, and what to do about it, from the status. Pure. */
import { count, outcome, plural } from './text.js';

const SHOWN_MAX = 5;

/** Waits that have a more exact item below. */
const ELSEWHERE = new Set(['plan', 'approval', 'coverage', 'abandoned']);

function* wrongs(status) {
  if (status.failure) yield { level: 'bad', what: status.failure, command: 'palinode doctor' };
  if (status.trouble) yield { level: 'bad', what: status.trouble, command: 'palinode doctor' };
  if (status.haltReason) {
    yield {
      level: 'bad',
      what: `Rollback ${status.openEpoch} is halted: ${status.haltReason}.`,
      todo: `Retry it, or discard no write: palinode rollback abandon ${status.openEpoch}.`,
      link: [`#/rollbacks/${status.openEpoch}`, 'See it by node'],
      command: `palinode rollback retry ${status.openEpoch}`,
    };
  }
  for (const wait of status.waits.filter((one) => one.standsStill && !ELSEWHERE.has(one.reason))) {
    yield { level: 'bad', what: `Judgement waits: ${wait.what}.`, todo: sentence(wait.wayOut) };
  }
  for (const approval of status.approvals) {
    yield {
      level: 'bad',
      what: `A rollback for ${approval.predicate} waits for your approval`
        + ` (${plural(approval.violations, 'violation')}).`,
      approval,
    };
  }
  if (status.abandonedEpoch !== null) {
    yield {
      level: 'bad',
      what: `Rollback ${status.abandonedEpoch} was abandoned. It holds the safe point.`,
      command: 'palinode acknowledge',
    };
  }
  if (status.coverageLosses > 0) {
    yield {
      level: 'bad',
      what: `${plural(status.coverageLosses, 'coverage gap')} not acknowledged:`
        + ' violations of these times may be unknown.',
      command: 'palinode acknowledge',
    };
  }
  for (const budget of status.budgets.filter((one) => one.standsUntilMicros !== null)) {
    yield {
      level: 'bad',
      what: `The rollback budget of ${budget.predicate} is spent`
        + ` (${count(budget.spent)} of ${count(budget.atMost)}): further violations stand.`,
      command: `palinode rollback renew ${budget.predicate}`,
    };
  }
}

function* works(status) {
  if (status.openEpoch !== null && !status.haltReason) {
    yield {
      level: 'busy',
      what: `Rollback ${status.openEpoch} is in progress: ${status.phase}.`,
      link: [`#/rollbacks/${status.openEpoch}`, 'Follow it'],
    };
  } else if (status.notServing.length > 0) {
    const nodes = status.notServing.join(', ');
    yield { level: 'busy', what: `Not serving epoch ${status.epoch} yet: node ${nodes}.` };
  }
  if (status.sequential.allKeys || status.sequential.keys > 0) {
    const keys = status.sequential.allKeys ? 'All keys' : plural(status.sequential.keys, 'key');
    yield { level: 'busy', what: `After frequent rollbacks, clients use R + W > N: ${keys}.` };
  }
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function quiet(status, standing) {
  if (status.predicates === 0) return 'Nothing is watched: no predicate is in force.';
  if (standing.total > 0) {
    const held = standing.holding > 0 ? `; ${count(standing.holding)} of these still hold` : '';
    const most = standing.isCut ? 'At least ' : '';
    return `${most}${plural(standing.total, 'violation')} not rolled back${held}.`;
  }
  if (status.violations === 0) return 'All is well. No violation is known.';
  return 'All is well. Every recent violation was rolled back.';
}

/** One item each for the first violations, those that hold first, and a link to all. */
function standingItems({ shown, total }) {
  const items = shown.map((one) => ({
    level: 'busy',
    what: `${one.predicate} ${one.binding}${one.ended === null ? ', which holds' : ''}`,
    link: [`#/violations/${one.id}`, 'See it'],
  }));
  const rest = total - shown.length;
  const more = `And ${count(rest)} more.`;
  return rest === 0 ? items
    : [...items, { level: 'busy', what: more, link: ['#/violations', 'See all'] }];
}

/**
 * Of the latest violations, those that remain in the store. Pure.
 *
 * @param latest violations, the latest first
 * @param isCut whether there are earlier ones
 */
export function standingOf(latest, isCut) {
  const all = latest.filter((one) => outcome(one).stands);
  const holding = all.filter((one) => one.ended === null);
  const shown = [...holding, ...all.filter((one) => one.ended !== null)].slice(0, SHOWN_MAX);
  return { shown, total: all.length, holding: holding.length, isCut };
}

/**
 * The headline and its items, the worst first.
 *
 * @param standing as {@code standingOf} returns it
 */
export function verdict(status, standing) {
  const bad = [...wrongs(status)];
  const busy = [...works(status)];
  if (bad.length > 0) {
    const headline = bad.length === 1 ? '1 thing needs you.' : `${bad.length} things need you.`;
    return { level: 'bad', headline, items: [...bad, ...busy] };
  }
  if (busy.length > 0) return { level: 'busy', headline: 'Work is in progress.', items: busy };
  const level = status.predicates > 0 && standing.total === 0 ? 'good' : 'busy';
  return { level, headline: quiet(status, standing), items: standingItems(standing) };
}

const LEVELS = {
  serves: 'good', 'stands still': 'bad', 'agent off': 'bad', 'awaits repair': 'bad', halted: 'bad',
  'never joined': 'bad',
};

/** How much a node needs a person. */
export function nodeLevel(node) {
  return LEVELS[node.state] ?? 'busy';
}
