// The page of one plan: its text, its revisions, the evidence while it is implemented, and the report.

import { api, checkView, h, plural, say, serverHtml, show } from './dom.js';
import { planState } from './board.js';
import { PlanText } from './review.js';

export async function planPage(slug) {
  const address = `/api/plan/${encodeURIComponent(slug)}`;
  const evidence = h('section', { class: 'evidence', 'aria-label': 'Evidence' });
  const waits = h('p', { class: 'waits' });
  const about = h('p', { class: 'meta' });
  const heading = h('h1', {});
  const text = new PlanText(`${address}/lines`, null);
  const diffBox = h('div', { class: 'diff', hidden: true });
  const diffButton = h('button', {
    type: 'button', 'aria-pressed': 'false',
    async onclick() {
      const open = diffBox.hidden;
      if (open) {
        const diff = await api(`${address}/diff`).catch(() => ({ html: '' }));
        diffBox.replaceChildren(diff.html ? serverHtml(diff.html) : h('p', { class: 'empty' }, 'There is no earlier revision.'));
      }
      diffBox.hidden = !open;
      text.element.hidden = open;
      diffButton.setAttribute('aria-pressed', String(open));
    },
  }, 'Diff');
  show(h('div', { class: 'page wide' }, heading, about, waits, evidence,
    h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Tools' }, diffButton), diffBox, text.element));

  let shown;
  let known = {};
  async function refresh() {
    const plan = await api(address);
    const [state, words] = planState(plan);
    document.title = `${plan.title || slug} · cutonce`;
    heading.textContent = plan.title || slug;
    about.replaceChildren(h('span', { class: `state ${state}` }, words), plan.project ? h('span', {}, plan.project) : '',
      plan.revision ? h('span', {}, `revision ${plan.revision}`) : '', h('code', {}, plan.path));
    waits.hidden = !(plan.waiting || plan.status === 'submitted');
    if (plan.waiting) {
      waits.replaceChildren(h('a', { href: `/review/${encodeURIComponent(plan.waiting.session)}/${encodeURIComponent(plan.waiting.ask)}` }, 'This plan waits for your answer'));
    } else if (plan.status === 'submitted') {
      waits.replaceChildren('No running session has this plan. Approve and implement it with ',
        h('code', {}, `cutonce implement ${slug} --sha256 ${plan.sha256}`));
    }
    const now = drawEvidence(evidence, plan);
    const changed = now.filter((step) => known[step.id] && known[step.id] !== step.state);
    if (changed.length) say(changed.map((step) => `Step ${step.id} is ${STEP_WORDS[step.state]}.`).join(' '));
    known = Object.fromEntries(now.map((step) => [step.id, step.state]));
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
      timer = setTimeout(() => refresh().catch((error) => say(error.message, 'bad')), 100);
    },
  };
}

const STEP_WORDS = {
  open: 'open', changed: 'changed', checked: 'checked', failed: 'check failed', parked: 'parked', dropped: 'dropped',
};

/** Steps with what the program observed; returns their states. */
function drawEvidence(place, plan) {
  const live = Object.fromEntries((plan.steps ?? []).map((step) => [step.step, step]));
  const report = Object.fromEntries((plan.report?.steps ?? []).map((step) => [step.id, step]));
  const steps = plan.contract?.steps ?? plan.report?.steps ?? [];
  const worked = plan.report || Object.keys(live).length;
  place.hidden = !steps.length || !worked;
  if (place.hidden) return [];
  const states = steps.map((step) => ({ id: step.id, state: live[step.id]?.state ?? report[step.id]?.state ?? 'open' }));
  // What the user opened stays open.
  const folds = new Map([...place.querySelectorAll('details')].map((fold) => [fold.dataset.check, fold.open]));
  const rows = steps.map((step, at) => {
    const now = live[step.id];
    const told = report[step.id];
    const { state } = states[at];
    const files = now?.files ?? told?.changed ?? [];
    const last = now?.check && { command: now.check, exitCode: now.exitCode, stopped: now.stopped, output: now.output };
    const ended = (told?.checks ?? []).map((check) => (check.command === last?.command ? { ...check, output: last.output } : check));
    const checks = last && (plan.runs || !ended.length) ? [last] : ended;
    return h('li', { class: `step ${state}` },
      h('span', { class: 'mark', 'aria-hidden': 'true' }), h('span', { class: 'name' }, `${step.id}. ${step.title}`),
      h('span', { class: 'word' }, STEP_WORDS[state]),
      files.length > 0 && h('span', { class: 'files' }, files.map((file) => h('code', {}, file))),
      checks.map((check) => checkView(check, folds.get(check.command))));
  });
  const wanted = states.filter((step) => step.state !== 'parked' && step.state !== 'dropped');
  const done = wanted.filter((step) => step.state === 'checked' || step.state === 'changed').length;
  const changed = wanted.filter((step) => step.state === 'changed').length;
  const meter = h('progress', { max: wanted.length || 1, value: done, 'aria-label': 'Steps that are changed or checked' });
  place.replaceChildren(
    h('div', { class: 'head' }, h('h2', {}, plan.runs || !plan.report ? 'Evidence' : 'Report'),
      h('span', { class: 'count' }, `${states.filter((step) => step.state === 'checked').length} of ${plural(wanted.length, 'step')} checked${changed ? `, ${changed} changed` : ''}`)), meter,
    h('ol', { class: 'steps' }, rows), ...(plan.report && !plan.runs ? reportNotes(plan.report) : []));
  return states;
}

function reportNotes(report) {
  const lists = [
    ['Changed outside the plan', report.outside], ['Planned but not changed', report.untouched],
    ['Steps in another order than planned', report.outOfOrder],
    ['Checks that did not pass after the last change', report.checksNotRun?.map((check) => check.command)],
    ['The model’s last message says more than the program saw', report.claims?.map((claim) => `“${claim.text}”, but ${claim.evidence}`)],
    ['Denied writes outside the plan', report.denied],
  ].filter(([, entries]) => entries?.length);
  return [
    h('p', { class: report.drift ? 'verdict bad' : 'verdict good' }, report.drift ? 'The result differs from the plan.' : 'Done as planned; nothing drifted.',
      h('span', { class: 'dim' }, ` $${report.costUsd.toFixed(2)}, ${Math.round(report.seconds)} s`)),
    ...lists.map(([title, entries]) => h('section', { class: 'drift', 'aria-label': title }, h('h3', {}, title), h('ul', {}, entries.map((entry) => h('li', {}, entry))))),
  ];
}
