/** Draws a layout as SVG, with zoom, hover and focus. */
import { el, svg } from './dom.js';
import * as plan from './layout.js';
import { exactTime, micros, parseHlc } from './text.js';

const { BAR_PX, GUTTER_PX } = plan;
const LABEL_ROW_PX = 18;
const HEAD_PX = plan.LABEL_ROWS * LABEL_ROW_PX + 8;
const AXIS_PX = 26;
const CHAR_PX = 7;
const ZOOMS = [0.02, 100_000];
const STEP = 1.6;
const PAN_PX = 60;

function since(at) {
  return `${at < 0 ? '−' : '+'}${micros(Math.abs(at))}`;
}

/** What a person reads of an interval, by hover, focus or screen reader. */
function describe(bar) {
  const clock = (hlc) => `${exactTime(parseHlc(hlc).micros)}Z (HLC ${hlc})`;
  const elsewhere = bar.endNode === bar.node ? '' : `, ended on node ${bar.endNode}`;
  const end = bar.endHlc === null ? 'No end known' : `Until ${clock(bar.endHlc)}${elsewhere}`;
  const what = `Term ${bar.term} on node ${bar.node}: ${bar.text || 'no values'}`;
  return `${bar.isOther ? 'Not a witness. ' : ''}${what}
Client: ${bar.writer || 'not known'}
From ${clock(bar.startHlc)}
${end}`;
}

function describeEdge(edge) {
  return `Knowledge, entry ${edge.fromNode} of an HVC: at its start on node ${edge.toNode}, the`
    + ` interval knew node ${edge.fromNode} up to ${since(edge.from)} (HLC ${edge.hlc}).\n`
    + (edge.isByEpsilon ? 'This may follow from ε alone, without a message.'
      : 'A message carried this knowledge.');
}

/** A box beside the pointer or the focused part, and the listeners that show it. */
function tooltip() {
  const node = el('div', { class: 'tip', hidden: true });
  const show = (text, event) => {
    node.textContent = text;
    node.hidden = false;
    const frame = node.parentNode.getBoundingClientRect();
    const part = event.target.getBoundingClientRect();
    const x = (event.clientX ?? Math.max(part.x, frame.x + GUTTER_PX)) - frame.x + 12;
    node.style.left = `${Math.max(0, Math.min(x, frame.width - node.offsetWidth - 4))}px`;
    node.style.top = `${(event.clientY ?? part.bottom) - frame.y + 14}px`;
  };
  const hide = () => { node.hidden = true; };
  const on = (text) => ({
    onpointermove: (event) => show(text, event),
    onfocus: (event) => show(text, event),
    onpointerleave: hide,
    onblur: hide,
  });
  return { node, on };
}

/** The parts of the drawing at one zoom and width. */
function parts(model, toX, width, on) {
  const laneOf = (number) => model.lanes.find((one) => one.node === number);
  const bottom = HEAD_PX + model.height;
  const lane = ({ node, top, height }) => [
    svg('rect', { class: 'lane', x: 0, y: HEAD_PX + top, width, height }),
    svg('text', { class: 'lane-name', x: 8, y: HEAD_PX + top + height / 2 }, `node ${node}`),
  ];
  const tick = ({ at, x }) => {
    const words = at === 0 ? exactTime(model.base) : since(at);
    const half = (words.length * CHAR_PX) / 2;
    const inside = Math.max(GUTTER_PX + half, Math.min(x, width - half));
    return svg('g', { class: 'tick' },
      svg('line', { x1: x, x2: x, y1: HEAD_PX, y2: bottom }),
      svg('text', { x: inside, y: bottom + 17 }, words));
  };
  const bands = (bar) => {
    const box = plan.rectangle(bar, model.lanes, toX, width);
    const reach = toX(model.epsilon) - toX(0);
    const band = (x) => svg('rect', {
      class: 'band', x, y: HEAD_PX + box.y - 3, width: reach, height: BAR_PX + 6,
    });
    return [band(box.x - reach), bar.end === null ? null : band(box.x + box.width)];
  };
  const interval = (bar) => {
    const box = plan.rectangle(bar, model.lanes, toX, width);
    const left = Math.max(box.x, GUTTER_PX);
    const room = Math.floor((Math.min(box.x + box.width, width) - left - 10) / CHAR_PX);
    const words = bar.writer ? `${bar.text} · ${bar.writer}` : bar.text;
    const text = describe(bar);
    return svg('g', {
      class: `interval term${bar.term % 4}${bar.isOther ? ' other' : ''}`, role: 'img',
      tabindex: 0, 'aria-label': text,
      ...on(text),
    },
    svg('rect', {
      ...box, y: HEAD_PX + box.y, rx: 3, 'data-node': bar.node, 'data-term': bar.term,
      'data-start': bar.startHlc, 'data-end': bar.endHlc,
    }),
    room > 3 && svg('text', { x: left + 6, y: HEAD_PX + box.y + BAR_PX / 2 },
      words.length <= room ? words : `${words.slice(0, room - 1)}…`));
  };
  const edge = (one) => {
    const [from, bar] = [laneOf(one.fromNode), model.bars[one.index]];
    const isAbove = from.top < laneOf(bar.node).top;
    const [x1, y1] = [toX(one.from), HEAD_PX + from.top + (isAbove ? from.height - 6 : 6)];
    const y2 = HEAD_PX + plan.middle(model.lanes, bar.node, bar.row) + BAR_PX / (isAbove ? -2 : 2);
    const d = `M${x1} ${y1}L${toX(one.to)} ${y2}`;
    const kind = one.isByEpsilon ? 'edge by-epsilon' : 'edge';
    return svg('g', { class: kind, ...on(describeEdge(one)) },
      svg('path', { d, class: 'grip' }),
      svg('path', { d, 'marker-end': 'url(#arrow)', 'data-hlc': one.hlc }),
      svg('circle', { cx: x1, cy: y1, r: 3 }));
  };
  const mark = ({ kind, name, hlc, at, x, row, isLeft }) => {
    const y = 12 + row * LABEL_ROW_PX;
    return svg('g', { class: `mark ${kind}`, ...on(`${name}: HLC ${hlc}, ${since(at)}`) },
      svg('line', { x1: x, x2: x, y1: y - 10, y2: bottom, 'data-hlc': hlc }),
      svg('text', { x: isLeft ? x - 5 : x + 5, y, 'text-anchor': isLeft ? 'end' : 'start' }, name));
  };
  return [model.lanes.map(lane).flat(), svg('g', { 'clip-path': 'url(#view)' },
    plan.ticks(model.extent, toX, width).map(tick),
    Number.isFinite(model.epsilon) && model.bars.filter((bar) => !bar.isOther).map(bands).flat(),
    model.edges.map(edge),
    model.bars.map(interval),
    plan.labels(model.marks, toX, width, CHAR_PX).map(mark))].flat();
}

function legend(model) {
  const epsilon = Number.isFinite(model.epsilon) ? micros(model.epsilon) : 'not known or infinite';
  const key = (kind, text) => el('span', { class: `key k-${kind}` }, text);
  return el('figcaption', {},
    key('interval', 'interval in which a term held'),
    model.bars.some((bar) => bar.isOther) && key('other', 'other interval of the instance'),
    key('band', `ε band (${epsilon})`),
    key('edge', 'knowledge: HVC entry'), key('epsilon', 'knowledge by ε'),
    key('target', 'rollback target'));
}

/** A figure of a witness file that follows its width, with buttons and keys to zoom. */
export function diagram(witness, targets, others) {
  const model = plan.layout(witness, targets, others);
  const height = HEAD_PX + model.height + AXIS_PX;
  const view = svg('rect', { x: GUTTER_PX, y: 0, height });
  const drawing = svg('g');
  const tip = tooltip();
  const named = { role: 'group', 'aria-labelledby': 'd-title', 'aria-describedby': 'd-desc' };
  const arrow = { viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7 };
  const [from, to] = model.extent;
  const root = svg('svg', {
    class: 'diagram', height, tabindex: 0, 'data-from': from, 'data-to': to, ...named,
  },
    svg('title', { id: 'd-title' }, 'Space-time diagram of the violation'),
    svg('desc', { id: 'd-desc' }, `${model.bars.length} intervals on ${model.lanes.length} nodes.`
      + ' The table below has the same data.'),
    svg('defs', {}, svg('clipPath', { id: 'view' }, view),
      svg('marker', { id: 'arrow', orient: 'auto', ...arrow },
        svg('path', { d: 'M0 0 8 4 0 8z', class: 'arrow' }))),
    drawing);
  let width = 0;
  let transform = globalThis.d3.zoomIdentity;

  function draw() {
    const toX = plan.scale(model.extent, width, transform);
    drawing.replaceChildren(...parts(model, toX, width, tip.on));
  }

  const zooming = globalThis.d3.zoom().scaleExtent(ZOOMS)
    .filter((event) => !event.button && (event.type !== 'wheel' || event.ctrlKey || event.metaKey))
    .on('zoom', (event) => {
      transform = event.transform;
      draw();
    });
  const zoomed = globalThis.d3.select(root).call(zooming);
  const by = (factor) => {
    const x = plan.scale(model.extent, width, transform)(model.marks[1].at);
    zooming.scaleBy(zoomed, factor, x > GUTTER_PX && x < width ? [x, 0] : undefined);
  };
  const pan = (px) => zooming.translateBy(zoomed, px / transform.k, 0);
  const fit = () => zooming.transform(zoomed, globalThis.d3.zoomIdentity);
  const keys = {
    '+': () => by(STEP), '=': () => by(STEP), '-': () => by(1 / STEP), 0: fit,
    ArrowLeft: () => pan(PAN_PX), ArrowRight: () => pan(-PAN_PX),
  };
  root.addEventListener('keydown', (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  new ResizeObserver(() => {
    if (root.clientWidth === width || root.clientWidth === 0) return;
    width = root.clientWidth;
    view.setAttribute('width', width - GUTTER_PX);
    zooming.extent([[GUTTER_PX, 0], [width, height]]);
    draw();
  }).observe(root);
  const button = (label, name, onclick) =>
    el('button', { type: 'button', 'aria-label': name, onclick }, label);
  return el('figure', { class: 'space-time' },
    el('div', { class: 'zoom' },
      button('+', 'Zoom in', keys['+']), button('−', 'Zoom out', keys['-']),
      button('Fit', 'Show all', fit),
      el('span', { class: 'quiet' }, 'Drag moves, Ctrl and wheel zoom; keys: + − 0 ← →')),
    root, tip.node, legend(model));
}
