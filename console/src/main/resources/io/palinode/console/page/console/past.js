/** How far back nodes can be read, what they had then, and snapshots. */
import { get, post } from './api.js';
import { action, badge, command, el, empty, facts, table, when } from './dom.js';
import { lookup } from './lookup.js';
import { only } from './role.js';
import { ago, bytes, count, millis, parseHlc, plural, time } from './text.js';

const LEVELS = { complete: 'good', taking: 'busy', partial: 'bad', failed: 'bad', cancelled: '' };
const SNAPSHOTS = '/api/v1/snapshots';

/** As the nodes answer; else as they stated when they joined or paused. */
async function reachNow() {
  return get('/api/v1/past/reach').catch(async () => (await get('/api/v1/nodes'))
    .filter((node) => node.incarnation > 0)
    .map((node) => ({ node: node.node, from: node.reach, failure: null })));
}

function reach(nodes) {
  return table('How far back each node can be read', [
    ['Node', (one) => String(one.node), 'num'],
    ['Since (UTC)', (one) => (one.from === null ? one.failure
      : when(time(parseHlc(one.from).micros), `HLC ${one.from}`))],
    ['That is', (one) => (one.from === null ? '–' : ago(parseHlc(one.from).micros)), 'num'],
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

export async function show(main, query) {
  const top = el('div');
  const content = el('div');
  let isTaking = false;
  const draw = async () => {
    const [nodes, all, plan] = await Promise.all(
      [reachNow(), get(SNAPSHOTS), get('/api/v1/snapshot-schedule')]);
    isTaking = all.some((one) => one.state === 'taking');
    top.replaceChildren(reach(nodes));
    content.replaceChildren(el('h2', {}, 'Snapshots'), schedule(plan), snapshots(all));
  };
  main.append(el('h1', {}, 'Past'),
    top,
    ...lookup(Object.fromEntries(new URLSearchParams(query ?? ''))).flat(2),
    content,
    el('p', {}, only('operator', 'A snapshot', action('Take a snapshot now', async () => {
      await post(SNAPSHOTS, {});
      await draw();
    }))),
    el('p', {}, 'To compare a snapshot with now: ', command('palinode snapshot diff NAME now')));
  await draw();
  return { update: () => (isTaking ? draw() : null) };
}
