/** How far back nodes can be read, and snapshots. */
import { get, post } from './api.js';
import { action, badge, command, el, empty, facts, table, when } from './dom.js';
import { ago, bytes, count, millis, parseHlc, plural, time } from './text.js';

const LEVELS = { complete: 'good', taking: 'busy', partial: 'bad', failed: 'bad', cancelled: '' };
const SNAPSHOTS = '/api/v1/snapshots';

function reach(nodes) {
  return table('How far back each node can be read', [
    ['Node', (node) => String(node.node), 'num'],
    ['Since (UTC)', (node) => when(time(parseHlc(node.reach).micros), `HLC ${node.reach}`)],
    ['That is', (node) => ago(parseHlc(node.reach).micros), 'num'],
  ], nodes);
}

function schedule(plan) {
  const isOff = plan.everySeconds === null && !plan.onViolation;
  return facts([
    ['Schedule', isOff ? 'none' : [
      plan.everySeconds && `every ${millis(plan.everySeconds * 1000, true)}`,
      plan.onViolation && 'before each violation'].filter(Boolean).join(', ')],
    ['Kept', isOff ? null : `the latest ${count(plan.keep)}`],
  ]);
}

function snapshots(all) {
  if (all.length === 0) {
    return empty('No snapshot yet. Take one here, or on a schedule:',
      command('palinode snapshot schedule --every 10m --keep 6'));
  }
  return table(plural(all.length, 'snapshot'), [
    ['Name', (one) => one.id],
    ['State', (one) => badge(one.state, LEVELS[one.state])],
    ['Kind', (one) => one.kind],
    ['Time (UTC)', (one) => when(time(parseHlc(one.at).micros), `HLC ${one.at}`)],
    ['Keys', (one) => count(one.keys), 'num'],
    ['Size', (one) => bytes(one.bytes), 'num'],
    ['Failures', (one) => one.nodes.filter((node) => node.failure)
      .map((node) => `node ${node.node}: ${node.failure}`).join('; ') || '–'],
  ], all);
}

export async function show(main) {
  const content = el('div');
  let isTaking = false;
  const draw = async () => {
    const [nodes, all, plan] = await Promise.all(
      [get('/api/v1/nodes'), get(SNAPSHOTS), get('/api/v1/snapshot-schedule')]);
    isTaking = all.some((one) => one.state === 'taking');
    const title = el('h2', {}, 'Snapshots');
    const joined = nodes.filter((node) => node.incarnation > 0);
    content.replaceChildren(reach(joined), title, schedule(plan), snapshots(all));
  };
  main.append(el('h1', {}, 'Past'),
    el('p', {}, 'To read a key at an earlier time: ', command('palinode get-value KEY --at -30s')),
    content,
    action('Take a snapshot now', async () => {
      await post(SNAPSHOTS, {});
      await draw();
    }),
    el('p', {}, 'To compare a snapshot with now: ', command('palinode snapshot diff NAME now')));
  await draw();
  return { update: () => (isTaking ? draw() : null) };
}
