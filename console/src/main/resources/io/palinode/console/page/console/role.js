/** The user of this page, and the controls that its role has. */
import { get } from './api.js';
import { el } from './dom.js';

const ROLES = ['viewer', 'editor', 'operator', 'admin'];

let user = null;

/** Reads the user; returns whether it is another one, or has another role. */
export async function readUser() {
  const before = JSON.stringify(user);
  user = await get('/api/v1/me');
  return JSON.stringify(user) !== before;
}

/** Name and role; empty if the API has no users. */
export function userText() {
  return user?.name ? `${user.name} (${user.role})` : '';
}

/** The controls if the user has the role; else which role does what. The server checks again. */
export function only(role, what, ...controls) {
  return user === null || ROLES.indexOf(user.role) >= ROLES.indexOf(role) ? controls
    : el('span', { class: 'quiet' }, `${what} needs the role ${role}; yours is ${user.role}.`);
}
