/** Elements of the page. Text is always text, never markup: values of the store are not trusted. */
import { outcome } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(2).filter((child) => child || child === 0));
  return node;
}

/** An element. A property on… is a listener; each other one is an attribute, absent if null. */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** As el, for a part of a drawing. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** A time with its exact HLC or microseconds as a title. */
export function when(text, exact) {
  return el('time', { title: exact }, text);
}

/** A table. A column is [head, cell, kind]: cell makes the content from a row. */
export function table(caption, columns, rows) {
  return el('div', { class: 'scroll' }, el('table', {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, columns.map(([head, , kind]) =>
      el('th', { scope: 'col', class: kind }, head)))),
    el('tbody', {}, rows.map((row) =>
      el('tr', {}, columns.map(([, cell, kind]) => el('td', { class: kind }, cell(row))))))));
}

/** Names and values, in two columns. Values that are null are left out with their names. */
export function facts(pairs) {
  return el('dl', { class: 'facts' }, pairs
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/** A command to run in a shell, with a button that copies it. */
export function command(text) {
  const copy = el('button', {
    type: 'button',
    class: 'copy',
    'aria-label': `Copy: ${text}`,
    onclick: async () => {
      await navigator.clipboard?.writeText(text);
      copy.textContent = 'copied';
    },
  }, 'copy');
  return el('span', { class: 'command' }, el('code', {}, text), ' ', copy);
}

/** What a person reads where there is nothing yet: why, and the first step. */
export function empty(why, ...steps) {
  return el('div', { class: 'empty' }, el('p', {}, why), steps);
}

export function noViolation() {
  return empty('No violation yet. With the predicate of the tutorial, these two writes make one:',
    command('palinode put cs_1_2_1 1'), el('br'), command('palinode put cs_1_2_2 1'));
}

export function problem(error) {
  return el('p', { class: 'problem', role: 'alert' }, error.message);
}

/** A button whose work may fail; meanwhile it is disabled, and the reason appears after it. */
export function action(label, work, kind = '') {
  const button = el('button', {
    type: 'button',
    class: kind,
    onclick: async () => {
      if (button.nextSibling?.classList?.contains('problem')) button.nextSibling.remove();
      button.disabled = true;
      try {
        await work();
      } catch (error) {
        button.after(problem(error));
      } finally {
        button.disabled = false;
      }
    },
  }, label);
  return button;
}

/** A word with a colour; the word alone has the meaning. */
export function badge(word, level) {
  return el('span', { class: `badge ${level}` }, word);
}

export function outcomeBadge(violation, status) {
  const { word, level } = outcome(violation, status);
  return badge(violation.phantom ? `${word}, phantom` : word, level);
}

/** Replaces the content. The focus stays on the element of the same kind, id and text. */
export function redraw(main, ...children) {
  const had = main.contains(document.activeElement) ? document.activeElement : null;
  main.replaceChildren(...children);
  if (had === null) return;
  [...main.querySelectorAll(had.localName)]
    .find((one) => one.id === had.id && (had.id !== '' || one.textContent === had.textContent))
    ?.focus({ preventScroll: true });
}
