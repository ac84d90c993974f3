/** How far judgement and the safe point are behind, over the time that the page is open. */
import { el } from './dom.js';
import { millis } from './text.js';

const HEIGHT = 150;
const MS_PER_S = 1000;
const SPAN_MIN_S = 120;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(extra) {
  return {
    stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') }, font: '12px system-ui', ...extra,
  };
}

function options(width) {
  const seconds = (unused, value) => millis(value);
  const line = (label, name) => ({ label, stroke: colour(name), width: 2, value: seconds });
  return {
    width,
    height: HEIGHT,
    scales: {
      x: { range: (unused, low, high) => [Math.min(low, high - SPAN_MIN_S), high] },
      y: { range: (unused, low, high) => [0, Math.max(100, high * 1.1)] },
    },
    axes: [
      axis({ values: '{HH}:{mm}:{ss}', space: 80 }),
      axis({ size: 70, values: (unused, all) => all.map((ms) => millis(ms, ms >= MS_PER_S)) }),
    ],
    legend: { live: false },
    series: [
      {},
      line('Safe point', '--accent'),
      line('Judged', '--warn'),
    ],
    tzDate: (seconds_) => globalThis.uPlot.tzDate(new Date(seconds_ * MS_PER_S), 'Etc/UTC'),
  };
}

/** A chart with update(history) and close. */
export function lagChart() {
  const place = el('div', { role: 'img' });
  const node = el('figure', { class: 'chart' }, el('h2', {}, 'Behind the clock'), place);
  let data = [[], [], []];
  let plot = null;
  const draw = () => {
    plot?.destroy();
    plot = place.clientWidth > 0
      ? new globalThis.uPlot(options(place.clientWidth), data, place) : null;
  };
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const size = new ResizeObserver(() => {
    if (plot) plot.setSize({ width: place.clientWidth, height: HEIGHT });
    else draw();
  });
  size.observe(place);
  scheme.addEventListener('change', draw);
  return {
    node,
    update(history) {
      const judged = history.filter((one) => one.epochJudged);
      data = [
        judged.map((one) => one.atMs / MS_PER_S),
        judged.map((one) => one.safePointLagMs),
        judged.map((one) => one.judgedLagMs),
      ];
      place.setAttribute('aria-label', `Greatest so far: ${millis(Math.max(0, ...data[1]))}`);
      plot?.setData(data);
    },
    close() {
      size.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    },
  };
}
