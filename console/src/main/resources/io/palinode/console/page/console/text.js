/** Numbers, times and words as people read them. Pure. */

const HLC_COUNTS = 4096;

/** An HLC's text, such as 1795262400000000.7, as microseconds and counter. */
export function parseHlc(text) {
  const [micros, counter] = text.split('.');
  return { micros: Number(micros), counter: Number(counter ?? 0) };
}

/** Microseconds from base to an HLC; its counter is the fraction. Exact for a day around base. */
export function offset(text, base) {
  const hlc = parseHlc(text);
  return hlc.micros - base + hlc.counter / HLC_COUNTS;
}

/** A duration of the form 10ms, 500us or 2s in microseconds; Infinity for inf. */
export function parseDuration(text) {
  const found = /^(\d+(?:\.\d+)?)(us|ms|s)$/.exec(text);
  return found ? Number(found[1]) * { us: 1, ms: 1e3, s: 1e6 }[found[2]] : Infinity;
}

/** The time of day in UTC with milliseconds, and the date unless it is today's. */
export function time(micros, nowMs = Date.now()) {
  const iso = new Date(micros / 1000).toISOString();
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const [date, clock] = [iso.slice(0, 10), iso.slice(11, 23)];
  return date === today ? `${clock}Z` : `${date} ${clock}Z`;
}

/** The time of day in UTC with all microseconds. */
export function exactTime(micros) {
  const seconds = new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(11, 19);
  return `${seconds}.${String(micros % 1e6).padStart(6, '0')}`;
}

/** As time, with all microseconds. */
export function preciseTime(micros, nowMs = Date.now()) {
  return time(micros, nowMs).replace(/\.\d+Z$/, `.${String(micros % 1e6).padStart(6, '0')}Z`);
}

export function ago(micros, nowMs = Date.now()) {
  return `${millis(Math.max(0, nowMs - micros / 1000), true)} ago`;
}

/** A duration. A coarse one has whole seconds. */
export function millis(ms, isCoarse = false) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000 && !isCoarse) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${isCoarse ? Math.floor(ms / 1000) : (ms / 1000).toFixed(2)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min${isCoarse ? '' : ` ${Math.floor(ms / 1000) % 60} s`}`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} days`;
}

export function micros(us) {
  return us < 1000 ? `${Math.round(us)} µs` : millis(us / 1000);
}

/** A whole number with separators, 12,345; the dash if it is not known. */
export function count(number) {
  return number === null || number === undefined ? '–' : number.toLocaleString('en-US');
}

export function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

export function bytes(number) {
  if (number === null || number === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, number)) / 10));
  return `${power ? (number / 1024 ** power).toFixed(1) : number} ${units[power]}`;
}

/** By outcome: its level, its words, and whether the violation remains in the store. */
const OUTCOMES = {
  rollback: ['good', 'rollback', 'Its rollback waits, is open, or is done.'],
  covered: ['good', 'covered', 'A rollback for another violation also discarded it.'],
  waiting: ['busy', 'waiting', 'Its predicate is not known yet.'],
  rejected: ['bad', 'stands', 'An operator rejected its rollback; it stands.'],
  over_budget: ['bad', 'stands', "Its predicate's budget was spent; it stands."],
  abandoned: ['bad', 'stands', 'An operator abandoned its rollback; it stands.'],
  restarted: ['bad', 'stands', 'Its rollback ended in a restart; it stands.'],
  stands: ['bad', 'stands', 'It held when its epoch began, and may hold on every cut in reach.'],
  too_late: ['bad', 'stands', 'It was published after the safe point had passed it; it stands.'],
  no_rollback: ['bad', 'no rollback', 'Its predicate requests no rollback, or none at this grade.'],
  expired: ['bad', 'expired', 'Its predicate was not known within 5 s; no rollback follows.'],
};

/** @param status may be null; its approvals name violations whose rollback waits for one */
export function outcome(violation, status) {
  const isWaiting = status?.approvals.some((one) => one.violationIds.includes(violation.id));
  const known = isWaiting
    ? ['busy', 'needs approval', 'Its rollback waits for the approval of an operator.']
    : OUTCOMES[violation.outcome] ?? ['busy', 'undecided', 'The orchestrator decides soon.'];
  const [level, word, meaning] = known;
  const phantom = violation.phantom ? ' It is a phantom: a replica was late.' : '';
  return { level, word, meaning: meaning + phantom, stands: level === 'bad' && !phantom };
}

/** The values of a witness, such as cs_1_2_1 = 1. */
export function values(witness) {
  return witness.values.map((value) => `${value.key} = ${value.value}`).join(', ');
}
