// Signs in, chooses the page by its address, and keeps it up to date.

import { api, h, keepKey, pageKey, say, show, withCode } from './dom.js';
import { boardPage } from './board.js';
import { planPage } from './plan.js';
import { requestPage } from './review.js';

/** Exchanges the token in the address for a cookie, once. */
async function signIn() {
  const token = decodeURIComponent(location.hash.slice(1)).replace(/^token=/, '');
  if (!/^[0-9a-f]{64}$/.test(token)) return null;
  history.replaceState(null, '', location.pathname);
  try {
    keepKey((await api('/api/login', { token })).key);
    return null;
  } catch (error) {
    return error;
  }
}

function openPage() {
  const [page, ...rest] = location.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  if (page === 'review') return requestPage(...rest);
  if (page === 'plans') return planPage(...rest);
  return boardPage();
}

function showProblem(error) {
  document.title = 'cutonce';
  document.getElementById('live').hidden = true;
  show(h('div', { class: 'page' },
    h('h1', {}, error.status === 401 ? 'Sign in from the terminal' : 'This page can’t be shown'),
    h('p', {}, withCode(error.message)),
    error.status === 404 && h('p', {}, h('a', { href: '/' }, 'Show everything that waits'))));
}

/** Hours of a hidden page would cost a connection; it loads everything again when it is looked at. */
const HIDDEN_LIMIT = 5 * 60 * 1000;

/**
 * Listens to news. `ready` settles when the server has this listener, so that a page that loads afterwards misses no change;
 * `attach` then gives the news to the page.
 */
function follow() {
  let page;
  let events;
  let missed = false;
  let hiddenTimer;
  let settle;
  const ready = new Promise((resolve) => (settle = resolve));
  const live = document.getElementById('live');
  const setLive = (state, words) => {
    live.dataset.state = state;
    live.textContent = words;
  };
  let loading = false;
  let again = false;
  // Much news at once is one load, and one more if news came meanwhile.
  const catchUp = async () => {
    missed = !page;
    again = !missed;
    if (loading) return;
    loading = true;
    while (again) {
      again = false;
      await page.refresh().catch((error) => (error.status === 401 ? showProblem(error) : say(error.message, 'bad')));
    }
    loading = false;
  };
  const open = () => {
    events = new EventSource(`/api/events?key=${pageKey()}`);
    events.onopen = () => {
      setLive('on', 'live');
      if (missed) catchUp();
      settle();
    };
    events.onerror = () => {
      missed = true;
      setLive('off', 'reconnecting');
      settle();
    };
    events.onmessage = (event) => {
      const news = JSON.parse(event.data);
      if (news.what === 'missed' || !page) catchUp();
      else Promise.resolve(page.news(news)).catch((error) => say(error.message, 'bad'));
    };
  };
  const close = () => {
    events.close();
    missed = true;
    setLive('off', 'paused');
  };
  const wake = () => {
    clearTimeout(hiddenTimer);
    if (events.readyState === EventSource.CLOSED) open();
    catchUp();
  };
  const attach = (loaded) => {
    page = loaded;
    if (missed && events.readyState === EventSource.OPEN) catchUp();
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) hiddenTimer = setTimeout(close, HIDDEN_LIMIT);
      else wake();
    });
    document.addEventListener('resume', wake);
    addEventListener('online', wake);
    addEventListener('pageshow', (event) => event.persisted && wake());
  };
  addEventListener('beforeunload', () => events.close());
  open();
  return { ready, attach, close: () => events.close() };
}

// A button whose request fails says so, whichever it is.
addEventListener('unhandledrejection', (event) => say(event.reason?.message ?? 'Something went wrong; load the page again.', 'bad'));

const refused = await signIn();
const listener = follow();
await listener.ready;
try {
  listener.attach(await openPage());
  requestAnimationFrame(() => performance.mark('usable'));
} catch (error) {
  listener.close();
  showProblem(error.status === 401 && refused ? refused : error);
}
