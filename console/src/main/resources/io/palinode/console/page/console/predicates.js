/** The predicates in force, their text, and how to apply one. */
import { get, request } from './api.js';
import { action, badge, el, empty, facts, table } from './dom.js';
import { only } from './role.js';
import { count } from './text.js';

function inUse(one) {
  const nodes = Object.entries(one.nodeVersions).map(([node, used]) => `node ${node}: ${used}`);
  return el('span', { title: `${nodes.join(', ')}, job: ${one.jobVersion ?? 'unknown'}` },
    badge(one.converged ? 'everywhere' : 'not everywhere yet', one.converged ? 'good' : 'busy'));
}

function findings(all) {
  return all.length === 0 ? el('p', {}, 'No likely mistake.') : table('Likely mistakes', [
    ['Predicate', (one) => one.predicate],
    ['Line and column', (one) => one.place.replace(/^request:/, '')],
    ['What', (one) => `${one.sentence} (${one.name})`],
    ['Instead', (one) => one.wayOut],
  ], all);
}

/** Why predicates may find nothing, such as a store that no node has. */
function warnings(all) {
  return el('ul', {}, ...all.flatMap((one) => one.warnings.map(
    (text) => el('li', { class: 'problem' }, `${one.name}: ${text}`))));
}

/** What a predicate means, and whether applying it changes anything. */
function meaning(one) {
  const effect = one.unchanged ? `is version ${one.version}, which is in force`
    : one.version === null ? 'would be new' : `would replace version ${one.version}`;
  return el('section', { 'aria-label': one.name },
    el('h2', {}, `${one.name} ${effect}`),
    warnings([one]),
    facts(one.topics.map((topic) => [topic.name, topic.sentences.join(' ')])));
}

export async function show(main, name, state) {
  const example = await (await request('/console/example.yaml')).text();
  let edited = null;
  let shownAt = null;
  const list = el('div');
  const text = el('textarea', { id: 'text', rows: 18, spellcheck: 'false' });
  const done = el('p', { role: 'status' });
  const title = el('h2', {}, 'Apply');
  const about = el('p', { class: 'quiet' });
  const checked = el('div', { id: 'checked', role: 'status' });

  function edit(one) {
    edited = one;
    text.value = one?.yaml ?? example;
    title.textContent = one ? `Edit ${one.name}` : 'Apply';
    about.textContent = one
      ? `Version ${one.version} is in force. Applying is refused if another one is by then.`
      : 'YAML, or the XML of the papers. All of the document is applied, or nothing.'
        + ' Check explains it and names likely mistakes, and applies nothing.';
  }

  async function draw() {
    const all = await get('/api/v1/predicates');
    shownAt = state.status?.predicates;
    list.replaceChildren(all.length === 0
      ? empty('No predicate is in force, so nothing is watched. Below is the one of the tutorial:'
        + ' apply it, then write to the keys that it names.')
      : table(`${count(all.length)} in force`, [
        ['Name', (one) => el('a', { href: `#/predicates/${one.name}` }, one.name)],
        ['Version', (one) => count(one.version), 'num'],
        ['In use', inUse],
      ], all));
    return all;
  }

  function type() {
    return text.value.trimStart().startsWith('<') ? 'application/xml' : 'application/yaml';
  }

  /** Removes what an earlier press has shown. */
  function clear() {
    done.textContent = '';
    checked.replaceChildren();
    main.querySelectorAll('.buttons .problem').forEach((one) => one.remove());
  }

  async function check() {
    clear();
    const answer = await request('/api/v1/predicates/check', {
      method: 'POST', body: text.value, headers: { 'Content-Type': type() },
    });
    const found = await answer.json();
    checked.replaceChildren(findings(found.findings), ...found.predicates.map(meaning));
  }

  async function apply() {
    clear();
    const path = edited ? `/${encodeURIComponent(edited.name)}` : '';
    const answer = await request(`/api/v1/predicates${path}`, {
      method: 'PUT',
      body: text.value,
      headers: { 'Content-Type': type(), ...(edited && { 'If-Match': `"${edited.version}"` }) },
    });
    const applied = [await answer.json()].flat();
    const names = applied.map((one) => `${one.name} version ${one.version}`);
    done.textContent = `In force: ${names.join(', ')}.`;
    checked.replaceChildren(warnings(applied));
    const all = await draw();
    if (edited) edit(all.find((one) => one.name === edited.name));
  }

  main.append(el('h1', {}, 'Predicates'), list, title, about,
    el('label', { for: 'text' }, 'Text'), text,
    el('p', { class: 'buttons' },
      action('Check', check),
      only('editor', 'Applying', action('Apply', apply, 'primary')),
      name && el('a', { href: '#/predicates' }, 'Apply another one')),
    done, checked);
  const all = await draw();
  edit(name ? all.find((one) => one.name === decodeURIComponent(name)) : null);
  return { update: () => (state.status.predicates === shownAt ? null : draw()) };
}
