// Rehearsals of the plan: start, progress, comparison, the result by file and step, and «Apply exactly this».

import { api, checkView, dialog, h, plural, say, serverHtml } from './dom.js';

const KIND_WORDS = { new: 'new', change: 'changed', delete: 'deleted' };

const money = (usd) => `$${usd.toFixed(2)}`;
const duration = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`);

export class RehearsalView {
  constructor(review) {
    this.review = review;
    this.rows = [];
    this.loaded = new Map();
    this.loading = null;
    this.out = new Map();
    this.list = h('div', { class: 'rehearsals' });
    this.result = h('div', { class: 'result' });
    this.model = h('input', { type: 'text', id: 'rehearsal-model', placeholder: 'as now', autocomplete: 'off', list: 'models' });
    this.budget = h('input', { type: 'number', id: 'rehearsal-budget', min: '0.01', step: '0.01', placeholder: 'no limit' });
    this.start = h('button', { type: 'submit', class: 'main' }, 'Start rehearsal');
    this.element = h('section', { class: 'rehearsal', 'aria-label': 'Rehearsals' },
      h('p', { class: 'dim' }, 'A rehearsal carries the plan out on a layer over the workspace, without asking, and runs its checks. The workspace does not change.'),
      h('form', { class: 'start', onsubmit: (event) => this.begin(event) },
        h('span', {}, h('label', { htmlFor: 'rehearsal-model' }, 'Model'), this.model),
        h('span', {}, h('label', { htmlFor: 'rehearsal-budget' }, 'Budget in US dollars'), this.budget), this.start),
      this.list, this.result);
  }

  get address() {
    return `${this.review.address}/rehearsals`;
  }

  /** Much news at once is one load, and one more if news came meanwhile. */
  refresh() {
    this.again = Boolean(this.loading);
    this.loading ??= this.load().finally(() => {
      this.loading = null;
      if (this.again) return this.refresh();
    });
    return this.loading;
  }

  async load() {
    const now = await api(this.address).catch((error) => {
      // The plan has its answer meanwhile.
      if (error.status === 404) return { rehearsals: [] };
      throw error;
    });
    this.rows = now.rehearsals;
    this.element.classList.toggle('known', this.rows.length > 0);
    const finished = this.rows.filter((row) => row.state === 'finished');
    if (!finished.some((row) => row.id === this.shown)) this.shown = finished.at(-1)?.id;
    this.drawList();
    await this.drawResult();
    this.review.rehearsalCount(this.rows);
  }

  async order(order) {
    try {
      await api(`${this.review.address}/rehearse`, order);
    } catch (error) {
      say(error.message, 'bad');
    }
  }

  async begin(event) {
    event.preventDefault();
    if (this.review.edited !== null) return say('Your edit is not part of a rehearsal: send the plan back with it, or discard it.', 'bad');
    await this.order({
      start: {
        steps: Object.fromEntries(this.review.steps), model: this.model.value.trim() || null,
        budgetUsd: this.budget.value ? Number(this.budget.value) : null,
      },
    });
    await this.refresh();
  }

  drawList() {
    const focused = this.list.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
    const cells = (row) => {
      if (row.state === 'finished') {
        return [
          h('td', { class: row.passed ? 'good' : 'bad' }, row.passed ? 'passed' : 'not passed', row.drift && ', drift', row.kept && h('span', { class: 'dim' }, ` · kept as ${row.kept}`)),
          h('td', {}, `${row.checks[0]} of ${row.checks[1]}`), h('td', {}, String(row.changed)),
          h('td', {}, h('span', { class: 'plus' }, `+${row.added}`), ' ', h('span', { class: 'minus' }, `−${row.removed}`)),
          h('td', {}, String(row.refused)), h('td', {}, money(row.costUsd)), h('td', {}, duration(row.seconds)),
        ];
      }
      const words = row.state === 'stopped' ? `ended: ${row.why}`
        : row.state === 'progress' ? `works: ${row.text} (${plural(row.calls, 'call')})` : 'starts';
      return [h('td', { colSpan: 7, class: row.state === 'stopped' ? 'dim' : 'works' }, words)];
    };
    const several = this.rows.filter((row) => row.state === 'finished').length > 1;
    const actions = (row) => [
      row.state === 'finished' && several && h('button', {
        type: 'button', 'aria-pressed': String(row.id === this.shown), 'aria-label': `Show rehearsal ${row.id}`,
        onclick: () => {
          this.shown = row.id;
          this.drawList();
          this.drawResult();
        },
      }, 'Show'),
      row.state === 'finished' && !row.kept && h('button', { type: 'button', 'aria-label': `Keep rehearsal ${row.id}`, onclick: () => this.keep(row) }, 'Keep'),
      row.state !== 'stopped' && h('button', {
        type: 'button', 'aria-label': `${row.state === 'finished' ? 'Discard' : 'Cancel'} rehearsal ${row.id}`,
        onclick: () => this.order({ cancel: { id: row.id } }),
      }, row.state === 'finished' ? 'Discard' : 'Cancel'),
    ];
    const heads = ['Rehearsal', 'Result', 'Checks', 'Files', 'Lines', 'Denied', 'Cost', 'Time'];
    this.list.replaceChildren(this.rows.length ? h('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Comparison of rehearsals' }, h('table', {},
      h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)), h('td', {}))),
      h('tbody', {}, this.rows.map((row) => h('tr', { class: row.id === this.shown ? 'shown' : '' },
        h('th', { scope: 'row' }, row.id, row.revision && ` rev ${row.revision}`, row.model && h('span', { class: 'dim' }, ` ${row.model}`)), cells(row), h('td', { class: 'buttons' }, actions(row))))))) : '');
    if (focused) [...this.list.querySelectorAll('button')].find((button) => button.getAttribute('aria-label') === focused)?.focus();
  }

  /** Keeps a result by name, so that it can be applied after the session. */
  async keep(row) {
    const name = h('input', { type: 'text', id: 'keep-name', autocomplete: 'off', placeholder: 'a name made from the plan’s' });
    const body = [
      h('p', { class: 'consequence' }, 'The result stays when the session ends: ', h('code', {}, 'cutonce rehearsals'), ' lists, applies and discards it. The workspace does not change, and the plan still waits.'),
      h('label', { htmlFor: 'keep-name' }, 'Name'), name,
    ];
    const confirm = async () => api(`${this.review.address}/rehearse`, { keep: { id: row.id, name: name.value.trim() || null } });
    const sent = await dialog({ title: `Keep rehearsal ${row.id}`, body, confirm });
    if (sent?.refused) say(sent.refused.message, 'bad');
  }

  async drawResult() {
    const id = this.shown;
    if (id === this.drawn) return;
    this.drawn = id;
    if (!id) return this.result.replaceChildren();
    if (!this.loaded.has(id)) this.loaded.set(id, await api(`${this.address}?id=${encodeURIComponent(id)}`));
    if (id !== this.shown) return;
    const result = this.loaded.get(id);
    const out = this.out.get(id) ?? new Set();
    this.out.set(id, out);
    const report = result.report;
    const boxes = new Map();
    const apply = h('button', { type: 'button', class: 'main', onclick: () => this.apply(result, out) }, 'Apply exactly this');
    const chosen = h('span', { class: 'count', 'aria-live': 'polite' });
    const count = () => {
      for (const [path, box] of boxes) box.checked = !out.has(path);
      for (const box of steps.querySelectorAll?.('input') ?? []) box.checked = !this.only(result, box.value).some((path) => out.has(path));
      const stays = result.files.length - out.size;
      chosen.textContent = out.size ? `${stays} of ${plural(result.files.length, 'file')}; the checks have not run on this selection` : plural(stays, 'file');
      apply.disabled = !stays || !this.review.request.applies || this.review.unseen;
    };
    const take = (paths, keep) => {
      paths.forEach((path) => (keep ? out.delete(path) : out.add(path)));
      count();
    };
    const steps = this.steps(result, report, take, out);
    const files = result.files.map((file) => {
      const box = h('input', { type: 'checkbox', checked: true, 'aria-label': `Apply ${file.shown}`, onchange: () => take([file.path], box.checked) });
      boxes.set(file.path, box);
      return h('div', { class: 'file' }, box, h('details', { open: result.files.length <= 12 },
        h('summary', {}, h('code', {}, file.shown), h('span', { class: `filekind ${file.kind}` }, KIND_WORDS[file.kind]),
          h('span', { class: 'plus' }, `+${file.added}`), h('span', { class: 'minus' }, `−${file.removed}`),
          file.steps.length > 0 && h('span', { class: 'dim' }, `step ${file.steps.join(', ')}`)),
        h('div', { class: 'diff' }, file.html ? serverHtml(file.html) : h('p', { class: 'empty' }, 'Only its mode, or nothing readable, changed.'))));
    });
    this.result.replaceChildren(
      h('div', { class: 'applies' }, apply, chosen),
      steps, this.checks(result), ...this.notes(result, report),
      h('h2', {}, 'Diff'), ...files);
    count();
  }

  /** Files that a step changed and no other step did. */
  only(result, id) {
    return result.files.filter((file) => file.steps.length === 1 && file.steps[0] === id).map((file) => file.path);
  }

  /** Steps of the result; taking one out takes the files that only it changed. */
  steps(result, report, take, out) {
    const steps = (report?.steps ?? []).filter((step) => step.changed.length);
    if (!steps.length) return '';
    const only = (id) => this.only(result, id);
    return h('fieldset', { class: 'stepset' }, h('legend', {}, 'Steps'), steps.map((step) => h('label', { class: 'option' },
      h('input', { type: 'checkbox', value: step.id, checked: !only(step.id).some((path) => out.has(path)), disabled: !only(step.id).length, onchange: (event) => take(only(step.id), event.target.checked) }),
      h('span', {}, `${step.id}. ${step.title} `, h('span', { class: 'dim' }, step.state)))));
  }

  checks(result) {
    const ran = result.ran?.length ? result.ran
      : (result.report?.steps ?? []).flatMap((step) => step.checks.map((check) => ({ ...check, step: step.id })));
    if (!ran.length) return '';
    return h('section', { 'aria-label': 'Checks' }, h('h2', {}, 'Checks'), ran.map((check) => checkView(check)));
  }

  notes(result, report) {
    const lists = [
      ['The rehearsal failed', result.failure ? [result.failure] : []],
      ['Denied: would have been asked', result.denied.map((one) => `${one.tool}: ${one.text}`)],
      ['Changed outside the plan', report?.outside], ['Planned but not changed', report?.untouched],
      ['Steps in another order than planned', report?.outOfOrder],
      ['Checks that did not pass', report?.checksNotRun?.map((check) => check.command + (check.stopped ? ` (stopped: ${check.stopped})` : ''))],
    ].filter(([, entries]) => entries?.length);
    return lists.map(([title, entries]) => h('section', { class: 'drift', 'aria-label': title }, h('h2', {}, title),
      h('ul', {}, entries.map((entry) => h('li', {}, entry)))));
  }

  async apply(result, out) {
    const { review } = this;
    await review.page.refresh();
    if (review.decided || review.unseen || review.page.review !== review) return;
    if (review.edited !== null || review.editor) return say('Discard your edit first: it was not rehearsed.', 'bad');
    const { request } = review;
    const stays = result.files.length - out.size;
    const comments = review.commentList();
    const body = [
      h('p', { class: 'consequence' }, `Revision ${request.revision} (sha ${request.plan.sha256.slice(0, 6)}) is approved, and exactly this diff `
        + `(sha ${result.diffSha256.slice(0, 6)}, ${stays} of ${plural(result.files.length, 'file')}) is applied to the workspace, all of it or nothing. The mode becomes ${request.applies.mode}.`),
      out.size > 0 && h('p', { class: 'along' }, `Taken out: ${[...out].join(', ')}. The checks have not run on what is applied.`),
      h('p', { class: 'dim' }, comments.length ? `Sent along: ${plural(comments.length, 'comment')}.` : 'If a file changed meanwhile, nothing is applied.'),
    ].filter(Boolean);
    const confirm = async () => {
      const answer = {
        kind: 'plan', askId: request.ask, choice: request.applies.key, comments,
        rehearsal: { id: result.id, diffSha256: result.diffSha256, without: [...out], withoutSteps: [] },
      };
      // What the session then says comes after this.
      say('Sent; the workspace is compared first.');
      await review.send(answer);
      return { sent: true };
    };
    const sent = await dialog({ title: 'Apply exactly this', body, confirm });
    if (sent?.refused) {
      say(sent.refused.message, 'bad');
      await review.page.refresh();
    } else if (sent?.sent) {
      review.forget();
    }
  }
}
