/** A long list as a table of which only the visible rows exist. */
import { el } from './dom.js';

const ROW_PX = 36;
const SPARE_ROWS = 8;

/** The rows to show: from inclusive, to exclusive. Pure. */
export function visible(scrollTop, heightPx, length) {
  const first = Math.floor(scrollTop / ROW_PX);
  return {
    from: Math.max(0, Math.min(first, length) - SPARE_ROWS),
    to: Math.min(length, first + Math.ceil(heightPx / ROW_PX) + SPARE_ROWS),
  };
}

/**
 * @param name of the table, for screen readers
 * @param columns as those of a table
 * @param onEnd called when the last row is near
 */
export function windowed(name, columns, onEnd) {
  let items = [];
  let rows = new Map();
  const space = el('div', { class: 'space', role: 'rowgroup' });
  const body = el('div', { class: 'rows', tabindex: 0, 'aria-label': name }, space);
  const node = el('div', { class: 'windowed', role: 'table', 'aria-label': name },
    el('div', { role: 'rowgroup' }, el('div', { class: 'row head', role: 'row' },
      columns.map(([head, , kind]) => el('span', { role: 'columnheader', class: kind }, head)))),
    body);

  function row(index) {
    const made = el('div', { class: 'row', role: 'row', 'aria-rowindex': index + 2 },
      columns.map(([, cell, kind]) =>
        el('span', { role: 'cell', class: kind }, cell(items[index]))));
    made.style.transform = `translateY(${index * ROW_PX}px)`;
    return made;
  }

  function draw() {
    const { from, to } = visible(body.scrollTop, body.clientHeight, items.length);
    for (const [index, old] of rows) {
      if (index < from || index >= to) {
        old.remove();
        rows.delete(index);
      }
    }
    for (let index = from; index < to; index++) {
      if (!rows.has(index)) {
        const made = row(index);
        rows.set(index, made);
        space.append(made);
      }
    }
    if (to > items.length - SPARE_ROWS) onEnd();
  }

  let isDue = false;
  body.addEventListener('scroll', () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      draw();
    });
  });
  const size = new ResizeObserver(draw);
  size.observe(body);

  return {
    node,
    /** Shows these items; those in view stay in place if some were added before them. */
    set(next, addedBefore = 0) {
      items = next;
      rows.forEach((old) => old.remove());
      rows = new Map();
      space.style.height = `${items.length * ROW_PX}px`;
      node.setAttribute('aria-rowcount', items.length + 1);
      if (addedBefore > 0 && body.scrollTop > 0) body.scrollTop += addedBefore * ROW_PX;
      draw();
    },
    close: () => size.disconnect(),
  };
}
