// Small helpers: elements, requests, messages, dialogs.

/** Makes an element. Text is always text, never markup. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name in element && name !== 'list' && !name.startsWith('aria')) element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Markup that the server made and escaped. */
export function serverHtml(html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}

/** Text in which `words` are code. */
export const withCode = (text) => text.split('`').map((part, at) => (at % 2 ? h('code', {}, part) : part));

export class RequestError extends Error {
  constructor(status, told) {
    super(told);
    this.status = status;
  }
}

const KEY = 'cutonce key';

/** The key of this sign-in. Unlike the cookie, no server on another port gets it. */
export function pageKey() {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function keepKey(key) {
  try {
    localStorage.setItem(KEY, key);
  } catch {
    throw new RequestError(0, 'This browser stores nothing for the review page. Allow site data for this address.');
  }
}

/** Asks the server; a body makes it a change. */
export async function api(path, body) {
  const options = { headers: { 'x-cutonce': pageKey() || '1' }, cache: 'no-store' };
  if (body !== undefined) {
    options.method = 'POST';
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new RequestError(0, 'The review page can’t reach `cutonce serve`. Is it still running?');
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new RequestError(answer.status, content.told ?? `The server answered ${answer.status}.`);
  return content;
}

let fades;

/** Announces a change, on the screen and to screen readers. */
export function say(text, kind = '') {
  const status = document.getElementById('status');
  status.replaceChildren(...withCode(text));
  status.dataset.kind = kind;
  clearTimeout(fades);
  fades = setTimeout(() => status.classList.add('old'), 8000);
  status.classList.remove('old');
}

export function show(...content) {
  document.getElementById('main').replaceChildren(...content);
}

/** Opens a dialog and resolves to what `confirm` returns, or to null if it was cancelled. */
export function dialog({ title, body, confirmLabel = 'Confirm', tone = '', confirm }) {
  return new Promise((resolve) => {
    const heading = h('h2', { id: 'dialog-title' }, title);
    const problem = h('p', { class: 'problem', role: 'alert' });
    const go = h('button', { type: 'submit', class: `main ${tone}` }, confirmLabel);
    const main = document.getElementById('main');
    const cover = (covered) => {
      main.inert = covered;
      if (covered) main.setAttribute('aria-hidden', 'true');
      else main.removeAttribute('aria-hidden');
    };
    const before = document.activeElement;
    const close = (value) => {
      cover(false);
      element.close();
      element.remove();
      before?.focus?.({ preventScroll: true });
      resolve(value);
    };
    const submit = async (event) => {
      event.preventDefault();
      if (go.disabled) return;
      go.disabled = true;
      try {
        close(await confirm());
      } catch (error) {
        problem.textContent = error.message;
        go.disabled = false;
        if (error.status === 409) close({ refused: error });
      }
    };
    const form = h('form', { onsubmit: submit }, heading, body, problem,
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(null) }, 'Cancel'), go));
    const element = h('dialog', { role: 'dialog', 'aria-labelledby': 'dialog-title', 'aria-modal': 'true' }, form);
    element.addEventListener('cancel', (event) => {
      event.preventDefault();
      close(null);
    });
    document.body.append(element);
    element.showModal();
    cover(true);
    (element.querySelector('textarea, select, input') ?? go).focus();
  });
}

/** A check with its result. What it printed is folded, unless the check failed. */
export function checkView(check, isOpen = check.exitCode !== 0) {
  const passed = check.exitCode === 0;
  const ended = check.exitCode === null || check.exitCode === undefined ? (check.stopped ? `stopped: ${check.stopped}` : 'did not end') : `exited ${check.exitCode}`;
  const line = [h('span', { class: passed ? 'good' : 'bad', 'aria-hidden': 'true' }, passed ? '✓' : '✗'), ' ', h('code', {}, check.command), ` ${ended}`,
    check.by && h('span', { class: 'dim' }, ` · by the ${check.by}`), check.step && h('span', { class: 'dim' }, ` · step ${check.step}`)];
  if (!check.output) return h('p', { class: 'ran' }, line);
  return h('details', { class: 'ran', open: isOpen, 'data-check': check.command }, h('summary', {}, line),
    h('pre', { class: 'call', tabIndex: 0, 'aria-label': `Output of ${check.command}` }, check.output));
}

export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** How long ago, in words. */
export function ago(time) {
  const seconds = Math.max(0, (Date.now() - new Date(time).getTime()) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${plural(Math.floor(seconds / 60), 'minute')} ago`;
  if (seconds < 86400) return `${plural(Math.floor(seconds / 3600), 'hour')} ago`;
  return `${plural(Math.floor(seconds / 86400), 'day')} ago`;
}

/** The last part of a folder, with all of it as a hint. */
export function folder(path) {
  if (!path) return null;
  return h('span', { class: 'folder', title: path }, path.split('/').filter(Boolean).pop() ?? path);
}
