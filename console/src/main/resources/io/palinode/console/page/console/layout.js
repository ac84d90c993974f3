/** The space-time diagram as numbers: lanes, intervals, edges and marks of a witness file. Pure. */
import { offset, parseDuration, parseHlc, values } from './text.js';

const LANES_ALL_MAX = 8;
const PAD = 0.12;
const TICK_PX = 110;

export const ROW_PX = 34;
export const BAR_PX = 18;
export const LANE_PAD_PX = 8;
export const GUTTER_PX = 70;
export const LABEL_ROWS = 3;

/** A lane's intervals in rows such that no two of a row overlap. */
function inRows(bars) {
  const ends = [];
  for (const bar of [...bars].sort((a, b) => a.start - b.start)) {
    const free = ends.findIndex((end) => end < bar.start);
    bar.row = free < 0 ? ends.length : free;
    ends[bar.row] = bar.end ?? Infinity;
  }
  return Math.max(1, ends.length);
}

function bar(interval, index, base) {
  const { node, start } = interval;
  const endNode = interval.endNode ?? node;
  const endHlc = interval.end ? interval.end[endNode] : null;
  return {
    index,
    node,
    endNode,
    term: interval.term,
    writer: interval.writer,
    text: values(interval),
    clock: start,
    startHlc: start[node],
    endHlc,
    start: offset(start[node], base),
    end: endHlc === null ? null : offset(endHlc, base),
  };
}

/**
 * What the start of each interval knew of other nodes: the other entries of its HVC. An entry at
 * or below the own time − ε may come from ε alone, without a message.
 */
function edges(bars, lanes, base, epsilon) {
  const known = new Set(lanes);
  return bars.flatMap((to) => to.clock
    .map((hlc, node) => ({ hlc, node }))
    .filter(({ hlc, node }) => node !== to.node && known.has(node) && parseHlc(hlc).micros > 0)
    .map(({ hlc, node }) => ({
      index: to.index,
      fromNode: node,
      toNode: to.node,
      hlc,
      from: offset(hlc, base),
      to: to.start,
      isByEpsilon: parseHlc(hlc).micros <= parseHlc(to.startHlc).micros - epsilon,
    })));
}

/** The span of time at which a person looks first: all starts and marks, and the nearest ends. */
function extent(bars, marks, epsilon) {
  const band = Number.isFinite(epsilon) ? epsilon : 0;
  const starts = [...bars.map((one) => one.start), ...marks.map((one) => one.at)];
  const low = Math.min(...starts) - band;
  const high = Math.max(...starts) + band;
  const near = high + 2 * (high - low);
  const ends = bars.map((one) => one.end).filter((end) => end !== null && end < near);
  const right = Math.max(high, ...ends.map((end) => end + band));
  const pad = Math.max(1, PAD * (right - low));
  return [low - pad, right + pad];
}

/**
 * @param witness a witness file
 * @param targets of rollbacks that name the violation, as {epoch, target}
 * @param others intervals of the neighbourhood; the first view does not depend on them
 */
export function layout(witness, targets, others = []) {
  const base = parseHlc(witness.first).micros;
  const epsilon = parseDuration(witness.rules.epsilon);
  const own = witness.intervals.map((interval, index) => bar(interval, index, base));
  const bars = own.concat(others.map((interval, index) =>
    ({ ...bar(interval, own.length + index, base), isOther: true })));
  const all = witness.intervals[0].start.length;
  const lanes = all <= LANES_ALL_MAX
    ? Array.from({ length: all }, (unused, node) => node)
    : [...new Set(bars.map((one) => one.node))].sort((a, b) => a - b);
  const marks = [
    { kind: 'first', name: 'T_first', hlc: witness.first },
    { kind: 'violate', name: 'T_violate', hlc: witness.violate },
    ...targets.map(({ epoch, target }) =>
      ({ kind: 'target', name: `target of rollback ${epoch}`, hlc: target })),
  ].map((mark) => ({ ...mark, at: offset(mark.hlc, base) }));
  let top = 0;
  const tops = lanes.map((node) => {
    const ofNode = bars.filter((one) => one.node === node);
    const rows = inRows(ofNode);
    const lane = { node, top, height: rows * ROW_PX + 2 * LANE_PAD_PX };
    top += lane.height;
    return lane;
  });
  return {
    base,
    epsilon,
    bars,
    marks,
    lanes: tops,
    edges: edges(own, lanes, base, epsilon),
    extent: extent(own, marks, epsilon),
    height: top,
  };
}

/** A function from microseconds after base to pixels, at a zoom {k, x} of d3. */
export function scale([low, high], width, { k, x }) {
  const px = (width - GUTTER_PX) / (high - low);
  return (at) => GUTTER_PX + k * (at - low) * px + x;
}

/** The middle of an interval's row, in pixels below the first lane. */
export function middle(lanes, node, row) {
  const lane = lanes.find((one) => one.node === node);
  return lane.top + LANE_PAD_PX + row * ROW_PX + ROW_PX / 2;
}

/** The rectangle of an interval. An open one ends at the right edge. */
export function rectangle(one, lanes, toX, width) {
  const x = toX(one.start);
  const end = one.end === null ? Math.max(width, x + 1) : toX(one.end);
  const y = middle(lanes, one.node, one.row) - BAR_PX / 2;
  return { x, y, width: Math.max(2, end - x), height: BAR_PX };
}

/** Rows for labels, so that none covers another. A target precedes T_violate: on its left. */
export function labels(marks, toX, width, charPx) {
  const ends = [];
  const inView = marks.map((mark) => ({ ...mark, x: toX(mark.at) }))
    .filter(({ x }) => x >= GUTTER_PX && x <= width).sort((a, b) => a.x - b.x);
  return inView.map((mark) => {
    const { x } = mark;
    const length = mark.name.length * charPx + 12;
    const isLeft = mark.kind === 'target' ? x - length > GUTTER_PX : x + length > width;
    const from = isLeft ? x - length : x;
    const free = ends.findIndex((end) => end < from);
    const row = free < 0 ? Math.min(ends.length, LABEL_ROWS - 1) : free;
    ends[row] = from + length;
    return { ...mark, row, isLeft };
  });
}

/** Round times in the view, about a label's width apart, in microseconds after base. */
export function ticks([low, high], toX, width) {
  const perPx = (high - low) / (toX(high) - toX(low));
  const [from, to] = [GUTTER_PX, width].map((x) => low + (x - toX(low)) * perPx);
  const least = TICK_PX * perPx;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least));
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) },
    (unused, index) => ({ at: first + index * step, x: toX(first + index * step) }));
}
