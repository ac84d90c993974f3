/** All requests to the API. Adds the token, and turns each answer into data or an error. */
import { askToken } from './dialogs.js';

const TOKEN = 'palinode.token';
const ANSWER_MAX_MS = 10_000;
/** Of a change, which waits for Kafka or for the nodes. */
const CHANGE_MAX_MS = 60_000;
const UNAUTHORIZED = 401;

/** The API refused the request; the message is its reason. */
export class Problem extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** The orchestrator did not answer. */
export class NoAnswer extends Error {}

let question = null;
let isDeclined = false;

/** Asks for a token once, however many requests need one. A declined question is not repeated. */
async function newToken(reason) {
  question ??= askToken(reason).finally(() => { question = null; });
  const token = await question;
  isDeclined = !token;
  if (token) sessionStorage.setItem(TOKEN, token);
  return token;
}

/** Lets the next refused request ask for a token again. */
export function allowQuestion() {
  isDeclined = false;
}

async function problemOf(answer) {
  const body = await answer.json().catch(() => ({}));
  return new Problem(answer.status, body.code, body.detail ?? `HTTP status ${answer.status}`);
}

async function answerOf(path, options) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${token}` }) };
  try {
    // Relative to the page: a proxy may add a path.
    return { token, answer: await fetch(`.${path}`, { ...options, headers }) };
  } catch (error) {
    if (options.stop?.aborted) throw error;
    throw new NoAnswer('The orchestrator does not answer.');
  }
}

/** A successful answer. Throws Problem or NoAnswer. */
export async function request(path, options = {}) {
  const { token, answer } = await answerOf(path, {
    signal: options.stop ?? AbortSignal.timeout(options.method ? CHANGE_MAX_MS : ANSWER_MAX_MS),
    ...options,
  });
  if (answer.ok) return answer;
  const problem = await problemOf(answer);
  if (answer.status !== UNAUTHORIZED || isDeclined) throw problem;
  const isNewer = sessionStorage.getItem(TOKEN) !== token;
  if (!isNewer && !(await newToken(problem.message))) throw problem;
  return request(path, options);
}

export async function get(path) {
  return (await request(path)).json();
}

/** One page of a list: its items, the path of the next page or null, and the number of all. */
export async function page(path) {
  const answer = await request(path);
  return {
    items: await answer.json(),
    next: /<([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1] ?? null,
    total: Number(answer.headers.get('X-Total-Count')),
  };
}

/** The answer of a POST, as data; null if it has no body. */
export async function post(path, body) {
  const answer = await request(path, {
    method: 'POST',
    ...(body && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    }),
  });
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

/** Saves an answer as a file of this name. Returns whether the server has left nothing out. */
export async function download(path, name) {
  const answer = await request(path);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
  return answer.headers.get('X-Complete') !== 'false';
}
