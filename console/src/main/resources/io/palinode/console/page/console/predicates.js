/** The predicates in force, their text, and how to apply one. */
import { get, request } from './api.js';
import { action, badge, el, empty, table } from './dom.js';
import { count } from './text.js';

function inUse(one) {
  const nodes = Object.entries(one.nodeVersions).map(([node, used]) => `node ${node}: ${used}`);
  return el('span', { title: `${nodes.join(', ')}, job: ${one.jobVersion ?? 'unknown'}` },
    badge(one.converged ? 'everywhere' : 'not everywhere yet', one.converged ? 'good' : 'busy'));
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

  function edit(one) {
    edited = one;
    text.value = one?.yaml ?? example;
    title.textContent = one ? `Edit ${one.name}` : 'Apply';
    about.textContent = one
      ? `Version ${one.version} is in force. Applying is refused if another one is by then.`
      : 'YAML, or the XML of the papers. All of the document is applied, or nothing.'
        + ' To check and explain a file first: palinode lint FILE, palinode explain FILE.';
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

  async function apply() {
    done.textContent = '';
    const type = text.value.trimStart().startsWith('<') ? 'application/xml' : 'application/yaml';
    const path = edited ? `/${encodeURIComponent(edited.name)}` : '';
    const answer = await request(`/api/v1/predicates${path}`, {
      method: 'PUT',
      body: text.value,
      headers: { 'Content-Type': type, ...(edited && { 'If-Match': `"${edited.version}"` }) },
    });
    const applied = [await answer.json()].flat().map((one) => `${one.name} version ${one.version}`);
    done.textContent = `In force: ${applied.join(', ')}.`;
    const all = await draw();
    if (edited) edit(all.find((one) => one.name === edited.name));
  }

  main.append(el('h1', {}, 'Predicates'), list, title, about,
    el('label', { for: 'text' }, 'Text'), text,
    el('p', { class: 'buttons' },
      action('Apply', apply, 'primary'),
      name && el('a', { href: '#/predicates' }, 'Apply another one')),
    done);
  const all = await draw();
  edit(name ? all.find((one) => one.name === decodeURIComponent(name)) : null);
  return { update: () => (state.status.predicates === shownAt ? null : draw()) };
}
