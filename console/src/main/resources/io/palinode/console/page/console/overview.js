/** The first page: what is wrong, what to do, and how far behind judgement is. */
import { page, post } from './api.js';
import { action, badge, command, el, noViolation, outcomeBadge, table, when } from './dom.js';
import { confirmed } from './dialogs.js';
import { lagChart } from './chart.js';
import { figuresOf } from './plan.js';
import { rates } from './rates.js';
import { only } from './role.js';
import { ago, count, millis, parseHlc, plural, time } from './text.js';
import { nodeLevel, standingOf, verdict } from './verdict.js';
import { merged } from './violations.js';

const RECENT = 5;
/** Among these, those that were not rolled back are counted. */
const COUNTED = 500;

function summary(approval) {
  return el('p', {}, `${plural(approval.violations, 'violation')} of ${approval.predicate};`
    + ` the target is ${time(parseHlc(approval.target).micros)}.`);
}

/** Shows what the rollback would discard, if the nodes can name that. */
async function approve(approval) {
  const effect = await figuresOf({ to: approval.target });
  if (await confirmed('Approve this rollback?', [summary(approval), effect], 'Approve')) {
    await post(`/api/v1/approvals/${approval.id}/approve`);
  }
}

async function reject(approval) {
  const question = 'Reject this rollback? Its violations then stand.';
  if (await confirmed(question, summary(approval), 'Reject')) {
    await post(`/api/v1/approvals/${approval.id}/reject`);
  }
}

function item(one) {
  return el('li', { class: one.level },
    el('span', {}, one.what),
    one.todo && el('span', { class: 'todo' }, ` ${one.todo}`),
    one.link && el('a', { href: one.link[0] }, one.link[1]),
    one.approval && [
      el('a', { href: `#/violations/${one.approval.violationIds[0]}` }, 'See the violation'),
      only('operator', 'An answer', action('Approve…', () => approve(one.approval)),
        action('Reject…', () => reject(one.approval))),
    ],
    one.command && command(one.command));
}

function headline(status, latestOnes, isCut) {
  const { level, headline: text, items } = verdict(status, standingOf(latestOnes, isCut));
  return el('section', { class: `verdict ${level}`, 'aria-label': 'Verdict' },
    el('h1', {}, text),
    items.length > 0 && el('ul', {}, items.map(item)),
    status.predicates === 0 && el('p', {}, 'First step: ',
      el('a', { href: '#/predicates' }, 'apply a predicate'), ', or run ',
      command('palinode apply -f edge-mutex.yaml')));
}

function tile(name, value, detail, level = '') {
  return el('div', { class: `tile ${level}` },
    el('dt', {}, name), el('dd', {}, value), detail && el('dd', { class: 'detail' }, detail));
}

function tiles(status) {
  const isJudged = status.epochJudged;
  const held = status.safePointHeldAt !== null;
  const waits = status.waits.map((wait) => wait.what).join('; ');
  return el('dl', { class: 'tiles' },
    tile('Safe point behind', isJudged ? millis(status.safePointLagMs) : 'not judged yet',
      waits ? `waits for: ${waits}` : 'no automatic rollback goes further back', held ? 'bad' : ''),
    tile('Judged behind', isJudged ? millis(status.judgedLagMs) : 'not judged yet',
      'violations up to then are published'),
    tile('Coverage', status.coverageLosses > 0 ? plural(status.coverageLosses, 'gap') : 'complete',
      `${plural(status.coverageGaps, 'gap')} in all`, status.coverageLosses > 0 ? 'bad' : ''),
    tile('Nodes', `${count(status.nodesJoined)} of ${count(status.nodes)}`,
      `epoch ${count(status.epoch)}`, status.nodesJoined < status.nodes ? 'bad' : ''),
    tile('Violations', count(status.violations), plural(status.phantoms, 'phantom')),
    tile('Rollbacks', count(status.rollbacks), plural(status.predicates, 'predicate')));
}

function gaps(status) {
  if (status.unknown.length === 0) return null;
  return table('Coverage gaps that are not acknowledged', [
    ['From', (gap) => (gap.from ? time(parseHlc(gap.from).micros) : 'unknown')],
    ['To', (gap) => (gap.to ? time(parseHlc(gap.to).micros) : 'not over')],
    ['Reason', (gap) => gap.reason],
  ], status.unknown);
}

function nodes(all) {
  return table('Nodes', [
    ['Node', (node) => String(node.node), 'num'],
    ['State', (node) => badge(node.state, nodeLevel(node))],
    ['Waits for', (node) => node.why ?? '–'],
    ['Last step', (node) => (node.lastAck ? `${node.lastAck}, ${ago(node.lastAckMicros)}` : '–')],
    ['Incarnation', (node) => (node.incarnation > 0 ? count(node.incarnation) : '–'), 'num'],
  ], all);
}

function latest(recent, status) {
  if (recent.length === 0) return noViolation();
  return [table('Latest violations', [
    ['When', (one) => when(ago(parseHlc(one.violate).micros), `HLC ${one.violate}`)],
    ['Predicate', (one) => el('a', { href: `#/violations/${one.id}` },
      `${one.predicate} ${one.binding}`)],
    ['Grade', (one) => one.grade],
    ['Outcome', (one) => outcomeBadge(one, status)],
    ['Latency', (one) => millis(one.latencyMs), 'num'],
  ], recent), el('p', {}, el('a', { href: '#/violations' }, 'All violations'))];
}

/** Replaces the content of a part unless it is the same, so that focus and selection stay. */
function put(part, content) {
  const next = el('div', {}, content);
  if (part.innerHTML !== next.innerHTML) part.replaceChildren(...next.childNodes);
}

/** With a violation that was published, unless it is earlier than those that are counted. Pure. */
function after(violation, known, total) {
  const isNew = known.every((one) => one.id !== violation.id);
  const at = (one) => parseHlc(one.violate).micros;
  if (isNew && total > known.length && at(violation) < at(known.at(-1))) return { known, total };
  return {
    known: merged(known, violation).slice(0, COUNTED),
    total: isNew ? total + 1 : total,
  };
}

export async function show(main, unused, state) {
  const read = () => page(`/api/v1/violations?limit=${COUNTED}`);
  let { items: known, total } = await read();
  const [top, numbers, list, nodeList] = [0, 1, 2, 3].map(() => el('div'));
  const chart = lagChart();
  const rate = rates();
  main.append(top, numbers, el('div', { class: 'columns' }, list, nodeList), chart.node, rate.node);
  const update = ({ status, nodes: all, history }) => {
    if (!status) return;
    put(top, headline(status, known, total > known.length));
    put(numbers, tiles(status));
    put(list, latest(known.slice(0, RECENT), status));
    put(nodeList, [nodes(all), gaps(status)]);
    chart.update(history);
    rate.update(history);
  };
  update(state);
  return {
    update,
    event: async (type, violation) => {
      if (type !== 'violation' && type !== 'missed') return;
      if (type === 'missed') {
        ({ items: known, total } = await read());
      } else {
        ({ known, total } = after(violation, known, total));
      }
      update(state);
    },
    close: chart.close,
  };
}
