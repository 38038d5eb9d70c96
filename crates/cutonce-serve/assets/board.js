// The first page: what waits, jobs of remotes, and all plans.

import { ago, api, dialog, folder, h, say, show } from './dom.js';

const KINDS = { plan: 'Plan', questions: 'Question', permission: 'Permission', enterPlan: 'Plan mode' };
/** More rows come on demand. */
const FIRST_ROWS = 200;
/** From here on, a list needs a search. */
const MANY_ROWS = 20;

export const STATES = {
  draft: 'draft', submitted: 'waits for approval', approved: 'approved', rejected: 'sent back', left: 'kept',
};

/** The state of a plan in words, with a class for its colour. */
export function planState(plan) {
  if (plan.runs) return ['runs', 'in work'];
  if (plan.drift === true) return ['drift', 'ended with drift'];
  if (plan.drift === false) return ['done', 'done'];
  return [plan.status, STATES[plan.status]];
}

export async function boardPage() {
  document.title = 'cutonce review';
  const waiting = h('ul', { class: 'rows', role: 'list', 'aria-label': 'Waiting requests' });
  const empty = h('p', { class: 'empty' });
  const count = h('span', { class: 'count' });
  const plans = h('ul', { class: 'rows plans', role: 'list', 'aria-label': 'Plans' });
  const find = h('input', { type: 'search', placeholder: 'Find a plan', 'aria-label': 'Find a plan', oninput: () => drawPlans() });
  const more = h('button', { type: 'button', onclick: () => drawPlans(Infinity) }, 'Show all plans');
  const moreWaiting = h('button', { type: 'button', onclick: () => showAll() }, 'Show all that wait');
  const jobs = h('ul', { class: 'rows jobs', role: 'list', 'aria-label': 'Jobs' });
  const moreJobs = h('button', { type: 'button', onclick: () => showAll() }, 'Show all jobs');
  const jobSection = h('section', { 'aria-labelledby': 'jobs', hidden: true }, h('h2', { id: 'jobs' }, 'Jobs'), jobs, moreJobs);
  const findWaiting = h('input', { type: 'search', placeholder: 'Find a request', 'aria-label': 'Find a request', oninput: () => search() });
  const reading = h('p', { class: 'reading' }, 'Older plans of the remote are being read and verified. They appear below.');
  const troubles = h('div', { class: 'troubles' });
  let board;

  show(h('div', { class: 'page' }, troubles,
    h('section', { 'aria-labelledby': 'waiting' }, h('div', { class: 'head' }, h('h1', { id: 'waiting' }, 'Waiting for you ', count), findWaiting), reading, waiting, moreWaiting, empty),
    jobSection,
    h('section', { 'aria-labelledby': 'plans' }, h('div', { class: 'head' }, h('h2', { id: 'plans' }, 'Plans'), find), plans, more)));

  let all = false;
  async function showAll() {
    all = true;
    await refresh();
  }

  let loads = 0;
  let searching;
  function search() {
    clearTimeout(searching);
    searching = setTimeout(refresh, 150);
  }

  function drawJobs() {
    jobSection.hidden = !board.jobs;
    const rows = (board.jobs ?? []).map((job) => jobRow(job, refresh));
    moreJobs.hidden = rows.length === board.jobTotal;
    jobs.replaceChildren(...(rows.length ? rows : [h('li', { class: 'empty' }, 'No jobs.')]));
  }

  function drawPlans(limit = FIRST_ROWS) {
    const words = find.value.toLowerCase();
    const found = board.plans.filter((plan) => `${plan.slug} ${plan.title} ${plan.project ?? ''}`.toLowerCase().includes(words));
    plans.replaceChildren(...found.slice(0, limit).map(planRow));
    more.hidden = found.length <= limit;
    if (!found.length) plans.append(h('li', { class: 'empty' }, board.plans.length ? 'No plan matches.' : 'No plans yet.'));
  }

  async function refresh() {
    const words = findWaiting.value.trim();
    const wanted = new URLSearchParams({ ...(all && { all: 1 }), ...(words && { find: words }) });
    const number = ++loads;
    const loaded = await api(`/api/board?${wanted}`);
    // Answers may come in another order than their requests.
    if (number !== loads) return;
    board = loaded;
    const focused = document.activeElement?.closest('.rows a')?.getAttribute('href');
    waiting.replaceChildren(...board.waiting.map(waitingRow));
    reading.hidden = !board.reading;
    findWaiting.hidden = board.total < MANY_ROWS && !words;
    moreWaiting.hidden = board.waiting.length === board.found;
    drawJobs();
    troubles.replaceChildren(...board.troubles.map((told) => h('p', { class: 'banner bad' }, told)));
    waiting.hidden = !board.waiting.length;
    count.textContent = board.total ? String(board.total) : '';
    document.title = board.total ? `(${board.total}) cutonce review` : 'cutonce review';
    empty.hidden = board.waiting.length > 0 || board.reading;
    if (board.total) empty.replaceChildren('No request matches.');
    else empty.replaceChildren(h('strong', {}, 'Nothing waits.'), ' Plans and questions of running sessions appear here by themselves. Try ', h('code', {}, 'cutonce --permission-mode plan'), ' in a project.');
    drawPlans();
    // New rows replaced the one that had the focus.
    if (focused) [...document.querySelectorAll('.rows a')].find((row) => row.getAttribute('href') === focused)?.focus({ preventScroll: true });
  }

  await refresh();
  let timer;
  return {
    refresh,
    news(news) {
      if (news.what === 'closed' && news.told) say(news.told);
      clearTimeout(timer);
      timer = setTimeout(() => refresh().catch((error) => say(error.message, 'bad')), 50);
    },
  };
}

function waitingRow(request) {
  const title = request.title || 'Untitled';
  return h('li', {}, h('a', { class: 'row', href: `/review/${encodeURIComponent(request.session)}/${encodeURIComponent(request.ask)}` },
    h('span', { class: 'kind' }, KINDS[request.kind]),
    h('span', { class: 'title' }, title),
    h('span', { class: 'meta' }, folder(request.project), request.asker && h('span', {}, request.asker),
      request.revision > 1 && h('span', {}, `revision ${request.revision}`), h('span', {}, ago(request.since)))));
}

function planRow(plan) {
  const [state, words] = planState(plan);
  return h('li', {}, h('a', { class: 'row', href: `/plans/${encodeURIComponent(plan.slug)}` },
    h('span', { class: `state ${state}` }, words),
    h('span', { class: 'title' }, plan.title || plan.slug),
    h('span', { class: 'meta' }, folder(plan.project), h('span', {}, plan.slug), plan.outcome && h('span', {}, plan.outcome),
      plan.revision > 0 && h('span', {}, `revision ${plan.revision}`), h('span', {}, ago(plan.time)))));
}

const JOB_KINDS = { plan: 'Plan', rehearse: 'Rehearse', implement: 'Implement' };
const JOB_CHANGES = {
  cancel: ['Cancel job', 'The job ends now, and its worker stops. What it has done so far is not applied anywhere.'],
  retry: ['Retry job', 'The job is queued again and starts from its beginning.'],
};

function jobRow(job, refresh) {
  const change = async (kind) => {
    const [title, consequence] = JOB_CHANGES[kind];
    const result = await dialog({
      title, body: h('p', { class: 'consequence' }, consequence), tone: kind === 'cancel' ? 'danger' : '',
      confirm: () => api(`/api/jobs/${encodeURIComponent(job.id)}`, { change: kind }),
    });
    if (result?.refused) say(result.refused.message, 'bad');
    else if (result) say(result.told);
    await refresh();
  };
  const button = (kind, label) => h('button', { type: 'button', 'aria-label': `${label} job ${job.id}`, onclick: () => change(kind) }, label);
  return h('li', {}, h('div', { class: 'row' },
    h('span', { class: `state job-${job.state}` }, job.state),
    h('span', { class: 'title' }, h('span', { class: 'kind' }, JOB_KINDS[job.kind]), ' ', job.text || job.id),
    h('span', { class: 'meta' }, folder(job.repo), h('span', {}, `by ${job.by}`), job.worker && h('span', {}, `worker ${job.worker}`),
      job.attempts > 1 && h('span', {}, `attempt ${job.attempts}`), h('span', {}, ago(job.ended ?? job.submitted)), h('code', {}, job.id)),
    (job.canCancel || job.canRetry) && h('span', { class: 'buttons' }, job.canCancel && button('cancel', 'Cancel'), job.canRetry && button('retry', 'Retry'))));
}
