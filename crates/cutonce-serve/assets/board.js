// The first page: what waits and all plans. And the page of one plan, with its evidence.

import { ago, api, folder, h, plural, serverHtml, show } from './dom.js';
import { PlanText } from './review.js';

const KINDS = { plan: 'Plan', questions: 'Question', permission: 'Permission', enterPlan: 'Plan mode' };
/** More rows come on demand. */
const FIRST_ROWS = 200;

const STATES = {
  draft: 'draft', submitted: 'waits for approval', approved: 'approved', rejected: 'sent back', left: 'kept',
};

export async function boardPage() {
  document.title = 'cutonce review';
  const waiting = h('ul', { class: 'rows', role: 'list', 'aria-label': 'Waiting requests' });
  const empty = h('p', { class: 'empty' });
  const count = h('span', { class: 'count' });
  const plans = h('ul', { class: 'rows plans', role: 'list', 'aria-label': 'Plans' });
  const find = h('input', { type: 'search', placeholder: 'Find a plan', 'aria-label': 'Find a plan', oninput: () => drawPlans() });
  const more = h('button', { type: 'button', onclick: () => drawPlans(Infinity) }, 'Show all plans');
  let board;

  show(h('div', { class: 'page' },
    h('section', { 'aria-labelledby': 'waiting' }, h('h1', { id: 'waiting' }, 'Waiting for you ', count), waiting, empty),
    h('section', { 'aria-labelledby': 'plans' }, h('div', { class: 'head' }, h('h2', { id: 'plans' }, 'Plans'), find), plans, more)));

  function drawPlans(limit = FIRST_ROWS) {
    const words = find.value.toLowerCase();
    const found = board.plans.filter((plan) => `${plan.slug} ${plan.title} ${plan.project ?? ''}`.toLowerCase().includes(words));
    plans.replaceChildren(...found.slice(0, limit).map(planRow));
    more.hidden = found.length <= limit;
    if (!found.length) plans.append(h('li', { class: 'empty' }, board.plans.length ? 'No plan matches.' : 'No plans yet.'));
  }

  async function refresh() {
    board = await api('/api/board');
    waiting.replaceChildren(...board.waiting.map(waitingRow));
    waiting.hidden = !board.waiting.length;
    count.textContent = board.waiting.length ? String(board.waiting.length) : '';
    document.title = board.waiting.length ? `(${board.waiting.length}) cutonce review` : 'cutonce review';
    empty.hidden = board.waiting.length > 0;
    empty.textContent = 'Nothing waits. Plans and questions of running sessions appear here by themselves.';
    drawPlans();
  }

  await refresh();
  let timer;
  return {
    refresh,
    news(news) {
      if (news.what === 'closed' && news.told) document.getElementById('status').textContent = news.told;
      clearTimeout(timer);
      timer = setTimeout(refresh, 50);
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
  return h('li', {}, h('a', { class: 'row', href: `/plans/${encodeURIComponent(plan.slug)}` },
    h('span', { class: `state ${plan.runs ? 'runs' : plan.status}` }, plan.runs ? 'in work' : STATES[plan.status]),
    h('span', { class: 'title' }, plan.title || plan.slug),
    h('span', { class: 'meta' }, folder(plan.project), h('span', {}, plan.slug),
      plan.revision > 0 && h('span', {}, `revision ${plan.revision}`), h('span', {}, ago(plan.time)))));
}

/** The page of one plan, as it is on disk, with the evidence of its implementation. */
export async function planPage(slug) {
  const address = `/api/plan/${encodeURIComponent(slug)}`;
  const evidence = h('section', { class: 'evidence', 'aria-label': 'Steps' });
  const waits = h('p', { class: 'waits' });
  const about = h('p', { class: 'meta' });
  const heading = h('h1', {});
  const text = new PlanText(`${address}/lines`, null);
  const diffBox = h('div', { class: 'diff', hidden: true });
  const diffButton = h('button', {
    type: 'button', 'aria-expanded': 'false',
    async onclick() {
      const open = diffBox.hidden;
      if (open) {
        const diff = await api(`${address}/diff`).catch(() => ({ html: '' }));
        diffBox.replaceChildren(diff.html ? serverHtml(diff.html) : h('p', { class: 'empty' }, 'There is no earlier revision.'));
      }
      diffBox.hidden = !open;
      text.element.hidden = open;
      diffButton.setAttribute('aria-expanded', String(open));
    },
  }, 'Diff');
  show(h('div', { class: 'page wide' }, heading, about, waits, evidence,
    h('div', { class: 'tools' }, diffButton), diffBox, text.element));

  let shown;
  async function refresh() {
    const plan = await api(address);
    document.title = `${plan.title || slug} · cutonce`;
    heading.textContent = plan.title || slug;
    about.replaceChildren(
      h('span', { class: `state ${plan.runs ? 'runs' : plan.status}` }, plan.runs ? 'in work' : STATES[plan.status]), ' ',
      plan.project ? h('span', {}, plan.project) : '', plan.revision ? h('span', {}, `revision ${plan.revision}`) : '', h('code', {}, plan.path));
    waits.hidden = !(plan.waiting || plan.status === 'submitted');
    if (plan.waiting) {
      waits.replaceChildren(h('a', { href: `/review/${plan.waiting.session}/${plan.waiting.ask}` }, 'This plan waits for your answer'));
    } else if (plan.status === 'submitted') {
      waits.replaceChildren('No running session has this plan. Approve and implement it with ',
        h('code', {}, `cutonce implement ${slug} --sha256 ${plan.sha256}`));
    }
    drawEvidence(evidence, plan);
    if (plan.plan && plan.plan.sha256 !== shown) {
      shown = plan.plan.sha256;
      text.show(plan.plan);
    }
  }
  await refresh();
  let timer;
  return {
    refresh,
    news() {
      clearTimeout(timer);
      timer = setTimeout(refresh, 100);
    },
  };
}

const STEP_WORDS = {
  open: 'open', changed: 'changed', checked: 'checked', failed: 'check failed', parked: 'parked', dropped: 'dropped',
};

function drawEvidence(place, plan) {
  const live = Object.fromEntries((plan.steps ?? []).map((step) => [step.step, step]));
  const report = Object.fromEntries((plan.report?.steps ?? []).map((step) => [step.id, step]));
  const steps = plan.contract?.steps ?? plan.report?.steps ?? [];
  const worked = plan.report || Object.keys(live).length;
  place.hidden = !steps.length || !worked;
  if (place.hidden) return;
  const rows = steps.map((step) => {
    const now = live[step.id];
    const told = report[step.id];
    const state = now?.state ?? told?.state ?? 'open';
    const files = now?.files ?? told?.changed ?? [];
    const checks = now?.check ? [{ command: now.check, exit_code: now.exitCode }] : (told?.checks ?? []);
    return h('li', { class: `step ${state}` },
      h('span', { class: 'mark', 'aria-hidden': 'true' }), h('span', { class: 'name' }, `${step.id}. ${step.title}`),
      h('span', { class: 'word' }, STEP_WORDS[state]),
      files.length > 0 && h('span', { class: 'files' }, files.join(', ')),
      checks.map((check) => h('span', { class: 'check' }, h('code', {}, check.command),
        check.exit_code === null || check.exit_code === undefined ? ' did not end' : ` exited ${check.exit_code}`)));
  });
  const notes = [];
  if (plan.report?.outside?.length) notes.push(`Changed outside the plan: ${plan.report.outside.join(', ')}`);
  if (plan.report?.untouched?.length) notes.push(`Planned but untouched: ${plan.report.untouched.join(', ')}`);
  const done = rows.length && steps.filter((step) => (live[step.id]?.state ?? report[step.id]?.state) === 'checked').length;
  place.replaceChildren(h('h2', {}, 'Evidence ', h('span', { class: 'count' }, `${done} of ${plural(steps.length, 'step')} checked`)),
    h('ol', { class: 'steps' }, rows), ...notes.map((note) => h('p', { class: 'note' }, note)));
}
