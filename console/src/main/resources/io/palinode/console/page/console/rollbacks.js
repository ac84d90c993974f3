/** All remembered rollbacks, the latest first. */
import { page } from './api.js';
import { badge, command, el, empty, table, when } from './dom.js';
import { count, millis, parseHlc, time } from './text.js';

const ITEMS_MAX = 500;
const LEVELS = {
  resumed: 'good', cancelled: '', halted: 'bad', abandoned: 'bad', restarted: 'bad',
};

export function stateOf(rollback) {
  return badge(rollback.state, LEVELS[rollback.state] ?? 'busy');
}

const COLUMNS = [
  ['Epoch', (one) => el('a', { href: `#/rollbacks/${one.epoch}` }, String(one.epoch)), 'num'],
  ['State', stateOf],
  ['Cause', (one) => one.predicate || (one.undoes ? `undo of ${one.undoes}` : 'by hand')],
  ['Opened (UTC)', (one) => time(one.openedMicros)],
  ['Target (UTC)', (one) => when(time(parseHlc(one.target).micros), `HLC ${one.target}`)],
  ['Undone copies', (one) => count(one.undoneWrites), 'num'],
  ['Total', (one) => millis(one.totalMs), 'num'],
];

export async function show(main) {
  const content = el('div');
  main.append(el('h1', {}, 'Rollbacks'), content);
  const draw = async () => {
    const { items, total } = await page(`/api/v1/rollbacks?limit=${ITEMS_MAX}`);
    content.replaceChildren(items.length > 0
      ? table(`The latest ${count(items.length)} of ${count(total)}`, COLUMNS, items)
      : empty('No rollback yet. A predicate with onViolation.rollback opens one by itself.'
        + ' To see the effect of one by hand, without a change:',
      command('palinode rollback plan --to -30s')));
  };
  await draw();
  return { event: (type) => (type === 'rollback' || type === 'missed' ? draw() : null) };
}
