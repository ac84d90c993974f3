/** Questions that stop the page until a person answers. */
import { el } from './dom.js';

/** Shows a dialog; the result of its form, or null if the person cancels. */
function show(title, body, okLabel, kind, result) {
  return new Promise((resolve) => {
    const finish = (value) => {
      dialog.close();
      dialog.remove();
      resolve(value);
    };
    const form = el('form', {
      onsubmit: (event) => {
        event.preventDefault();
        finish(result());
      },
    },
    el('h2', { id: 'question' }, title),
    body,
    el('p', { class: 'buttons' },
      el('button', { type: 'button', onclick: () => finish(null) }, 'Cancel'),
      el('button', { type: 'submit', class: kind }, okLabel)));
    const dialog = el('dialog', {
      'aria-labelledby': 'question',
      oncancel: (event) => {
        event.preventDefault();
        finish(null);
      },
    }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Whether the person confirms. */
export async function confirmed(title, body, okLabel, kind = 'danger') {
  return (await show(title, body, okLabel, kind, () => true)) === true;
}

/** The token that the person enters, or null. */
export function askToken(reason) {
  const input = el('input', {
    id: 'token', type: 'password', autocomplete: 'off', required: true, autofocus: true,
  });
  return show('This API needs a token',
    el('div', {},
      el('p', {}, reason),
      el('label', { for: 'token' }, 'Token'),
      input,
      el('p', { class: 'quiet' }, 'The token stays in this tab until you close it.')),
    'Use it', 'primary', () => input.value.trim());
}
