/** The frame of the page: routes, the state of the cluster, and whether it answers. */
import { NoAnswer, Problem, allowQuestion, get } from './api.js';
import { el, problem } from './dom.js';
import { follow } from './events.js';
import * as overview from './overview.js';
import * as past from './past.js';
import * as predicates from './predicates.js';
import { readUser, userText } from './role.js';
import * as rollback from './rollback.js';
import * as rollbacks from './rollbacks.js';
import { time } from './text.js';
import * as violation from './violation.js';
import * as violations from './violations.js';

const POLL_MS = 2_000;
const HISTORY_MAX = 900;

/** A page has show(main, parameter, state), which may return update, event and close. */
const ROUTES = [
  [/^#?\/?$/, overview, 'Overview'],
  [/^#\/violations$/, violations, 'Violations'],
  [/^#\/violations\/([\w-]+)$/, violation, 'Violation'],
  [/^#\/rollbacks$/, rollbacks, 'Rollbacks'],
  [/^#\/rollbacks\/(\d+)$/, rollback, 'Rollback'],
  [/^#\/predicates(?:\/(.+))?$/, predicates, 'Predicates'],
  [/^#\/past(?:\?(.*))?$/, past, 'Past'],
];

const main = document.getElementById('main');
const live = document.getElementById('live');
const outage = document.getElementById('outage');
const user = document.getElementById('user');

/** What the pages share; history has one item for each answer of the status. */
const state = { status: null, nodes: null, history: [] };
let shown = {};
let shownHash = null;
let isStreaming = false;
let lastAnswerMs = null;

async function open() {
  const hash = location.hash;
  const [pattern, page, title] = ROUTES.find(([route]) => route.test(hash)) ?? ROUTES[0];
  shown.close?.();
  shown = {};
  shownHash = hash;
  const content = el('div');
  main.replaceChildren(content);
  document.title = `${title} · Palinode`;
  for (const link of document.querySelectorAll('nav a')) {
    const target = link.getAttribute('href');
    const isHere = target === '#/' ? page === overview : hash.startsWith(target);
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  try {
    const next = (await page.show(content, pattern.exec(hash)?.[1], state)) ?? {};
    if (shownHash === hash && content.isConnected) shown = next;
    else next.close?.();
  } catch (error) {
    content.replaceChildren(problem(error), el('p', {},
      el('button', { type: 'button', onclick: open }, 'Try again')));
  }
}

function showOutage(error) {
  const since = lastAnswerMs ? ` Last answer: ${time(lastAnswerMs * 1000)}.` : '';
  const isSilent = error instanceof NoAnswer;
  outage.replaceChildren(el('strong', {}, error.message), isSilent
    ? ` This page tries again every 2 s.${since} Check that the cluster runs: palinode status`
    : since);
  if (error instanceof Problem && error.status === 401) {
    outage.append(' ', el('button', { type: 'button', onclick: () => { allowQuestion(); poll(); } },
      'Enter a token'));
  }
  outage.hidden = false;
  document.body.classList.add('stale');
}

function showLive() {
  live.textContent = !outage.hidden ? 'no answer' : isStreaming ? 'live' : 'every 2 s';
  live.className = !outage.hidden ? 'bad' : isStreaming ? 'good' : 'busy';
}

/** Reads the state of the cluster. After an outage, or for another user, opens the page again. */
async function poll() {
  let isOther = false;
  try {
    [state.status, state.nodes, isOther] = await Promise.all([
      get('/api/v1/status'), get('/api/v1/nodes'), readUser(),
    ]);
    user.textContent = userText();
    lastAnswerMs = Date.now();
    state.history.push({ atMs: lastAnswerMs, ...state.status });
    state.history.splice(0, state.history.length - HISTORY_MAX);
    const wasOut = !outage.hidden;
    outage.hidden = true;
    document.body.classList.remove('stale');
    if (wasOut || isOther) open();
    else shown.update?.(state);
  } catch (error) {
    showOutage(error);
  }
  showLive();
}

async function pollForever() {
  if (!document.hidden || state.status === null) await poll();
  setTimeout(pollForever, POLL_MS);
}

addEventListener('hashchange', () => {
  open();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
pollForever();
follow(
  (type, data) => shown.event?.(type, data),
  (isOpen) => {
    isStreaming = isOpen;
    showLive();
  });
