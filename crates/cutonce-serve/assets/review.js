// The review of a plan: lines, comments, edit, diff, outline, find, steps and the choices.

import { ago, api, dialog, folder, h, plural, say, serverHtml, show } from './dom.js';
import { askView } from './ask.js';
import { RehearsalView } from './rehearsal.js';

/** The page of a request: a plan, a question or a call. */
export async function requestPage(session, ask) {
  const page = new RequestPage(session, ask);
  await page.load();
  return page;
}

class RequestPage {
  constructor(session, ask) {
    this.session = session;
    this.ask = ask;
  }

  get address() {
    return `/api/request/${encodeURIComponent(this.session)}/${encodeURIComponent(this.ask)}`;
  }

  async load() {
    this.request = await api(this.address);
    if (this.request.state === 'closed') this.showClosed(this.request);
    else if (this.request.kind === 'plan') this.review = new PlanReview(this.request, this.address, this);
    else askView(this.request, this.address);
  }

  /** The page may have slept: looks what became of the request. */
  async refresh() {
    if (this.request.state === 'closed') return;
    const now = await api(this.address).catch((error) => {
      if (error.status === 404) return { state: 'closed', told: 'The session has ended; the plan waits until it is resumed.' };
      throw error;
    });
    if (now.state === 'closed') await this.closed(now);
  }

  async news(news) {
    if (news.session !== this.session) return;
    if (news.what === 'closed' && news.ask === this.ask) await this.refresh();
    else if (news.what === 'rehearsal' && this.request.state === 'open') {
      if (news.told) say(news.told, / was not (applied|kept)/.test(news.told) ? 'bad' : '');
      await this.review?.rehearsals?.refresh();
    }
    else if (news.what === 'session') await this.refresh();
    else if (news.what === 'waiting' && this.request.state === 'closed' && this.request.kind === 'plan') {
      const now = await api(this.address);
      if (now.next) await this.showNext(now);
    }
  }

  async closed(now) {
    const before = this.request;
    this.request = { ...now, kind: before.kind, sha256: now.sha256 ?? before.plan?.sha256 };
    document.querySelectorAll('dialog').forEach((open) => open.dispatchEvent(new Event('cancel', { cancelable: true })));
    say(now.told);
    if (now.next) await this.showNext(this.request);
    else if (this.review) this.review.showDecided(now.told);
    else this.showClosed(now);
  }

  /** Another revision waits: shows what changed before it accepts an answer. */
  async showNext(now) {
    const shown = now.sha256;
    this.ask = now.next.ask;
    history.replaceState(null, '', `/review/${encodeURIComponent(this.session)}/${encodeURIComponent(this.ask)}`);
    this.request = await api(this.address);
    if (this.request.state === 'closed') return this.showClosed(this.request);
    this.review = new PlanReview(this.request, this.address, this);
    await this.review.showChanges(shown, now.told);
  }

  showClosed(now) {
    document.title = `${now.title ?? 'Answered'} · cutonce`;
    show(h('div', { class: 'page' }, h('h1', {}, now.title ?? 'This request is closed'), h('p', { class: 'banner' }, now.told),
      now.next && h('p', {}, h('a', { href: `/review/${encodeURIComponent(this.session)}/${encodeURIComponent(now.next.ask)}` }, `Revision ${now.next.revision} waits for your answer`)),
      h('p', {}, h('a', { href: '/' }, 'Show everything that waits'))));
    say(now.told);
  }
}

const BACKGROUND_LINES = 20000;

/** The lines of a plan. Those after the first ones are loaded later. */
export class PlanText {
  constructor(address, onComment) {
    this.address = address;
    this.element = h('div', { class: 'plan', role: 'group', 'aria-label': 'Plan', onkeydown: (event) => this.key(event) });
    this.end = h('div', { class: 'end' });
    this.element.addEventListener('click', (event) => {
      const number = event.target.closest('button.n');
      if (number && onComment) onComment(Number(number.textContent));
    });
    if (!onComment) this.element.classList.add('readonly');
    new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && this.more(), { rootMargin: '2000px' }).observe(this.end);
  }

  /** `load` gets further lines; by default from the server's copy. */
  show(plan, load) {
    this.total = plan.total;
    this.load = load ?? ((from) => api(`${this.address}?from=${from}`));
    this.element.replaceChildren(serverHtml(plan.html), this.end);
    this.loaded = this.element.querySelectorAll('.l').length;
    this.setCurrent(1);
    this.loadSome().catch(() => { /* Scrolling tries again. */ });
  }

  /** Loads the rest in the background, up to a limit; what is left comes while the user scrolls. */
  async loadSome() {
    const { load } = this;
    while (this.loaded < Math.min(this.total, BACKGROUND_LINES) && this.load === load) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await this.more();
    }
  }

  async more() {
    if (this.loading || !(this.loaded < this.total)) return this.loading;
    this.loading = this.load(this.loaded + 1);
    const { html } = await this.loading.finally(() => (this.loading = null));
    const lines = serverHtml(html);
    this.loaded += lines.querySelectorAll('.l').length;
    this.element.insertBefore(lines, this.end);
    this.onmore?.();
  }

  async loadAll() {
    while (this.loaded < this.total) await this.more();
  }

  line(number) {
    return this.element.querySelector(`[data-line="${number}"]`);
  }

  setCurrent(number) {
    this.line(this.current)?.querySelector('.n').setAttribute('tabindex', '-1');
    this.current = number;
    this.line(number)?.querySelector('.n').setAttribute('tabindex', '0');
  }

  async go(number, focus = true) {
    if (number > this.loaded) await this.loadAll();
    this.setCurrent(number);
    const line = this.line(number);
    line?.scrollIntoView({ block: 'center' });
    if (focus) line?.querySelector('.n').focus({ preventScroll: true });
  }

  key(event) {
    if (!event.target.classList.contains('n') || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Number(event.target.textContent);
    const moves = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, PageDown: at + 20, PageUp: at - 20, Home: 1, End: this.total };
    const to = moves[event.key];
    if (to === undefined) {
      if (event.key === 'c') event.target.click();
      return;
    }
    event.preventDefault();
    this.go(Math.min(Math.max(to, 1), this.total));
  }
}

const NARROW = matchMedia('(max-width: 1099px)');
const isNarrow = () => NARROW.matches;
const FILE_KINDS = { new: 'new', delete: 'deleted', change: 'changed' };
const EARLIER_ANSWERS = { approve: 'approved', park: 'parked', drop: 'dropped' };
const EARLIER_STEPS = { parked: 'park', dropped: 'drop' };
const STEP_CHOICES = [['approve', 'Approve'], ['park', 'Park'], ['drop', 'Drop']];

class PlanReview {
  constructor(request, address, page) {
    Object.assign(this, { request, address, page });
    this.comments = new Map();
    this.steps = new Map();
    this.edited = null;
    this.text = new PlanText(`${address}/lines`, (line) => this.openComment(line));
    this.text.onmore = () => {
      this.markFindings();
      this.drawComments();
    };
    if (request.rehearses) this.rehearsals = new RehearsalView(this);
    this.draw();
    if (request.plan) this.text.show(request.plan);
    this.markFindings();
    this.restore();
    // So that Page Down and Space scroll at once.
    if (document.activeElement === document.body) this.scroller.focus({ preventScroll: true });
    this.rehearsals?.refresh().catch((error) => say(error.message, 'bad'));
  }

  get storeKey() {
    return `cutonce ${this.request.plan?.sha256 ?? this.request.ask}`;
  }

  /** Comments and edits survive a reload of the page. */
  store() {
    const kept = { comments: [...this.comments], edited: this.edited, steps: [...this.steps] };
    try {
      sessionStorage.setItem(this.storeKey, JSON.stringify(kept));
    } catch { /* Storage is full or off; then a reload loses them. */ }
  }

  restore() {
    const draft = this.request.draft;
    let kept = null;
    try {
      kept = JSON.parse(sessionStorage.getItem(this.storeKey));
    } catch { /* Not ours. */ }
    for (const [line, words] of kept?.comments ?? (draft?.comments ?? []).map((comment) => [comment.line, comment.text])) this.comments.set(line, words);
    for (const [step, answer] of kept?.steps ?? Object.entries(draft?.steps ?? {})) this.steps.set(step, answer);
    if (kept?.edited) this.applyEdit(kept.edited, false);
    this.drawComments();
  }

  draw() {
    const { request } = this;
    document.title = `${request.title} · cutonce`;
    const tool = (name, label, run, extra = {}) => (this[`${name}Button`] = h('button', { type: 'button', onclick: run, 'aria-pressed': 'false', ...extra }, label));
    this.findBox = h('input', { type: 'search', placeholder: 'Find', 'aria-label': 'Find in the plan', oninput: () => this.find(), onkeydown: (event) => this.findKey(event) });
    this.findCount = h('span', { class: 'count', 'aria-live': 'polite' });
    this.notice = h('div', { class: 'notice', hidden: true });
    this.panel = h('section', { class: 'panel', hidden: true, 'aria-label': 'Steps' });
    this.other = h('div', { class: 'other', hidden: true });
    this.outline = h('nav', { class: 'outline', 'aria-label': 'Outline' });
    this.choices = h('div', { class: 'bar', role: 'group', 'aria-label': 'Choices' });
    const facts = h('details', { class: 'facts' }, h('summary', {}, 'Before you decide'), h('ul', {}, request.facts.map((fact) => h('li', {}, fact))));
    const hasSteps = request.contract?.steps?.length;
    this.scroller = h('div', { class: 'scroller', tabIndex: -1 },
      h('datalist', { id: 'models' }, request.models.map((model) => h('option', { value: model.name }, model.price))),
      h('header', { class: 'about' },
        h('h1', {}, request.title),
        h('p', { class: 'meta' }, h('span', {}, `revision ${request.revision}`), folder(request.project), request.asker && h('span', {}, request.asker),
          h('span', {}, ago(request.since)), h('code', { title: request.plan?.sha256 }, request.plan ? `sha ${request.plan.sha256.slice(0, 6)}` : 'no plan')),
        facts, this.findings()),
      request.plan && h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Tools' },
        tool('edit', 'Edit', () => this.toggleEdit(), { hidden: !request.editable }),
        tool('diff', 'Diff', () => this.toggleDiff(), { disabled: !request.previous, title: request.previous ? this.diffTitle() : 'There is no earlier revision' }),
        tool('steps', 'Steps', () => this.toggleSteps(), { disabled: !hasSteps, title: hasSteps ? 'Approve, park or drop single steps' : 'The plan has no recognisable steps' }),
        tool('rehearsal', 'Rehearsal', () => this.toggleRehearsal(), { hidden: !request.rehearses, 'aria-label': 'Rehearsal', title: 'Carry the plan out on a layer, see the result, then approve it' }),
        tool('outline', 'Outline', () => this.toggleOutline()),
        h('span', { class: 'find' }, this.findBox, this.findCount)),
      this.notice,
      h('div', { class: 'columns' }, this.outline, h('div', { class: 'middle' }, this.other, request.plan && this.text.element), this.panel));
    show(h('article', { class: 'review' }, this.scroller,
      this.choices));
    this.drawOutline(request.plan?.outline ?? []);
    NARROW.onchange = () => {
      if (NARROW.matches && !this.other.hidden) this.closePanels();
      else if (NARROW.matches && !this.outline.hidden) this.toggleOutline();
    };
    this.drawChoices();
    this.drawSteps();
    // An amendment is read as what it changes (PC-40).
    if (request.amends && request.previous) this.toggleDiff();
  }

  findings() {
    const found = this.request.contract?.findings ?? [];
    if (!found.length) return null;
    const jump = (line) => (event) => this.jump(event, line);
    return h('details', { class: 'facts warn', open: found.length <= 3 }, h('summary', {}, `${plural(found.length, 'finding')} about the plan`),
      h('ul', {}, found.map((one) => h('li', {}, h('a', { href: `#line-${one.line}`, onclick: jump(one.line) }, `line ${one.line}`), ` ${one.text}`))));
  }

  /** Findings are about the plan as it was submitted: an edit has none. */
  markFindings() {
    if (this.edited !== null) return;
    for (const one of this.request.contract?.findings ?? []) {
      const line = this.text.line(one.line);
      line?.classList.add('finding');
      if (line) line.querySelector('.t').dataset.finding = one.text;
    }
  }

  /** Shows a line of the plan, whatever is shown instead of it. */
  async jump(event, line) {
    event.preventDefault();
    await this.takeEdit();
    if (this.text.element.hidden) this.swap(null);
    this.text.go(line);
  }

  drawOutline(entries) {
    const jump = (line) => (event) => this.jump(event, line);
    this.outline.replaceChildren(h('ul', { role: 'list' }, entries.map((entry) =>
      h('li', { class: `o${entry.level}` }, h('a', { href: `#line-${entry.line}`, onclick: jump(entry.line) }, entry.text || '(no words)')))));
    this.outline.hidden = !entries.length || isNarrow();
    this.outlineButton?.setAttribute('aria-pressed', String(!this.outline.hidden));
  }

  toggleOutline() {
    this.outline.hidden = !this.outline.hidden;
    this.outlineButton.setAttribute('aria-pressed', String(!this.outline.hidden));
    if (!this.outline.hidden) this.outline.querySelector('a')?.focus();
  }

  /** Shows something instead of the plan, or the plan again. */
  swap(content, button) {
    for (const other of [this.editButton, this.diffButton, this.rehearsalButton]) other?.setAttribute('aria-pressed', String(other === button));
    this.other.replaceChildren(...(content ? [content] : []));
    this.other.hidden = !content;
    if (content && isNarrow()) this.closePanels();
    if (content && this.other.getBoundingClientRect().top > innerHeight / 2) this.other.scrollIntoView();
    this.text.element.hidden = Boolean(content);
    this.editor = null;
  }

  /** Where columns are stacked, what the user opened must not be below them. */
  closePanels() {
    for (const [panel, button] of [[this.panel, this.stepsButton], [this.outline, this.outlineButton]]) {
      panel.hidden = true;
      button?.setAttribute('aria-pressed', 'false');
    }
  }

  // Comments

  openComment(line) {
    if (this.decided) return;
    this.text.setCurrent(line);
    this.cardOf(line)?.remove();
    const words = h('textarea', { rows: 3, id: `comment-${line}`, value: this.comments.get(line) ?? '' });
    const close = () => {
      this.drawComment(line);
      this.text.line(line)?.querySelector('.n').focus();
    };
    const save = () => {
      const text = words.value.trim();
      if (text) this.comments.set(line, text);
      else this.comments.delete(line);
      this.store();
      this.drawChoices();
      close();
      say(text ? `Comment on line ${line} saved; it goes with whatever you choose.` : `Line ${line} has no comment.`);
    };
    words.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') close();
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
    });
    const card = h('div', { class: 'card open', 'data-card': line },
      h('label', { htmlFor: `comment-${line}` }, `Your comment on line ${line}`), words,
      h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'main', onclick: save }, 'Save comment'), h('button', { type: 'button', onclick: close }, 'Cancel')));
    this.text.line(line)?.after(card);
    words.focus();
  }

  cardOf(line) {
    return this.text.element.querySelector(`[data-card="${line}"]`);
  }

  drawComment(line) {
    this.cardOf(line)?.remove();
    const words = this.comments.get(line);
    const row = this.text.line(line);
    row?.classList.toggle('commented', Boolean(words));
    if (!words || !row) return;
    const remove = () => {
      this.comments.delete(line);
      this.store();
      this.drawComment(line);
      this.drawChoices();
      row.querySelector('.n').focus();
      say(`Comment on line ${line} removed.`);
    };
    row.after(h('div', { class: 'card', 'data-card': line }, h('p', {}, words),
      this.decided ? h('p', { class: 'dim' }, this.sent ? 'Sent with your answer.' : 'Not sent: the plan was answered first.') : h('div', { class: 'buttons' },
        h('button', { type: 'button', 'aria-label': `Change the comment on line ${line}`, onclick: () => this.openComment(line) }, 'Change'),
        h('button', { type: 'button', 'aria-label': `Remove the comment on line ${line}`, onclick: remove }, 'Remove'))));
  }

  redrawComments() {
    for (const line of this.comments.keys()) this.drawComment(line);
  }

  drawComments() {
    for (const line of this.comments.keys()) if (!this.cardOf(line)) this.drawComment(line);
    this.drawChoices();
  }

  // Edit

  async toggleEdit() {
    if (this.editor) {
      await this.takeEdit();
      return this.swap(null);
    }
    this.source ??= (await api(`${this.address}/source`)).text;
    const editor = h('textarea', { class: 'editor', id: 'editor', spellcheck: false, value: this.edited ?? this.source });
    const done = async () => {
      await this.takeEdit();
      this.swap(null);
      say(this.edited === null ? 'The plan is unchanged.' : 'Your edit goes with whatever you choose.');
    };
    const discard = () => {
      this.swap(null);
      this.applyEdit(null, true);
      say('Your edit was discarded.');
    };
    this.swap(h('div', { class: 'edit' }, h('label', { htmlFor: 'editor' }, 'The plan, as you want it'), editor,
      h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'main', onclick: done }, 'Keep edit'), h('button', { type: 'button', onclick: discard }, 'Discard edit'))), this.editButton);
    this.editor = editor;
    // The first lines stay in sight, also if the editor is taller than the screen.
    editor.focus({ preventScroll: true });
    editor.setSelectionRange(0, 0);
  }

  /** What is in the open editor counts as edited. */
  async takeEdit() {
    if (this.editor) await this.applyEdit(this.editor.value === this.source ? null : this.editor.value, true);
  }

  async applyEdit(text, store) {
    if (text === this.edited) return;
    const before = [...this.comments].map(([line, words]) => [line, words, this.text.line(line)?.querySelector('.t').textContent]);
    this.edited = text;
    const load = text === null ? undefined : (from) => api('/api/render', { text, from });
    const plan = text === null ? this.request.plan : await api('/api/render', { text });
    this.text.show(plan, load);
    this.markFindings();
    this.drawOutline(plan.outline);
    this.moveComments(before);
    if (store) this.store();
    this.drawChoices();
  }

  /** Comments stay at the line with the same text, if there is one nearby. */
  moveComments(before) {
    this.comments.clear();
    const lines = [...this.text.element.querySelectorAll('.l')].map((line) => line.querySelector('.t').textContent);
    for (const [line, words, text] of before) {
      const near = lines.map((other, at) => [Math.abs(at + 1 - line), at + 1, other]).filter(([, , other]) => other === text).sort((a, b) => a[0] - b[0])[0];
      this.comments.set(near ? near[1] : Math.min(line, this.text.total), words);
    }
    this.drawComments();
  }

  // Diff

  async toggleDiff() {
    if (this.diffButton.getAttribute('aria-pressed') === 'true') return this.swap(null);
    await this.takeEdit();
    const diff = await api(`${this.address}/diff`);
    this.swap(diffView(diff, this.diffTitle()), this.diffButton);
    say(`${this.diffTitle()}: ${plural(diff.added, 'line')} added, ${plural(diff.removed, 'line')} removed.`);
  }

  diffTitle() {
    return this.request.amends ? `Changes to the approved revision ${this.request.amends}` : 'Changes since the last revision';
  }

  /** What changed since this page showed another revision; an answer is possible after the user has seen it. */
  async showChanges(shown, told) {
    const diff = await api(`${this.address}/diff?shown=${encodeURIComponent(shown ?? '')}`).catch(() => null);
    this.unseen = true;
    this.drawChoices();
    const go = h('button', {
      type: 'button', class: 'main',
      onclick: () => {
        this.unseen = false;
        this.notice.hidden = true;
        this.swap(null);
        this.drawChoices();
        this.text.go(1);
      },
    }, `Continue with revision ${this.request.revision}`);
    this.notice.replaceChildren(h('p', {}, told, ' ', h('strong', {}, `Revision ${this.request.revision} waits now.`), ' Look at what changed, then answer.'), go);
    this.notice.hidden = false;
    this.swap(diff ? diffView(diff, 'Changes since you looked') : h('p', { class: 'empty' }, 'What this page showed before is not known any more; read the whole plan.'));
    say(`${told} Revision ${this.request.revision} waits now.`);
    go.focus();
  }

  // Rehearsal

  async toggleRehearsal() {
    if (this.rehearsalButton.getAttribute('aria-pressed') === 'true') return this.swap(null);
    await this.takeEdit();
    this.swap(this.rehearsals.element, this.rehearsalButton);
    this.rehearsals.start.focus({ preventScroll: true });
  }

  /** Shows on the button that rehearsals run, or how many have a result. */
  rehearsalCount(rows) {
    const works = rows.some((row) => row.state === 'started' || row.state === 'progress');
    const done = rows.filter((row) => row.state === 'finished').length;
    this.rehearsalButton.replaceChildren('Rehearsal', works ? h('span', { class: 'badge works', 'aria-hidden': 'true' }, '…') : done ? h('span', { class: 'badge', 'aria-hidden': 'true' }, String(done)) : '');
  }

  // Find

  async find(step = 0) {
    const words = this.findBox.value.toLowerCase();
    if (words && this.text.loaded < this.text.total) await this.text.loadAll();
    const lines = [...this.text.element.querySelectorAll('.l')];
    lines.forEach((line) => line.classList.remove('hit', 'now'));
    const hits = words ? lines.filter((line) => line.querySelector('.t').textContent.toLowerCase().includes(words)) : [];
    hits.forEach((line) => line.classList.add('hit'));
    this.hit = hits.length ? (((step ? this.hit + step : 0) % hits.length) + hits.length) % hits.length : 0;
    this.findCount.textContent = words ? (hits.length ? `${this.hit + 1} of ${hits.length}` : 'none') : '';
    hits[this.hit]?.classList.add('now');
    hits[this.hit]?.scrollIntoView({ block: 'center' });
  }

  findKey(event) {
    if (event.key === 'Enter') this.find(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') {
      this.findBox.value = '';
      this.find();
    }
  }

  // Steps

  toggleSteps() {
    this.panel.hidden = !this.panel.hidden;
    this.stepsButton.setAttribute('aria-pressed', String(!this.panel.hidden));
    if (!this.panel.hidden) this.panel.querySelector('input')?.focus();
  }

  drawSteps() {
    const steps = this.request.contract?.steps ?? [];
    if (!steps.length) return;
    const rows = steps.map((step) => {
      const locked = step.state === 'checked';
      const settled = Boolean(step.state);
      const earlier = EARLIER_STEPS[step.state] ?? 'approve';
      const radios = STEP_CHOICES.map(([value, label]) => h('label', { class: value },
        h('input', {
          type: 'radio', name: `step-${step.id}`, value, checked: this.answerAbout(step) === value,
          onchange: () => this.chooseStep(step.id, value, earlier),
        }), label));
      return h('fieldset', { class: 'step' }, h('legend', {}, h('a', { href: `#line-${step.lines[0]}`, onclick: (event) => this.jump(event, step.lines[0]) }, `${step.id}. ${step.title}`)),
        locked ? h('p', { class: 'good' }, '✓ done and checked')
          : settled ? h('details', {}, h('summary', { class: 'dim' }, `unchanged: ${EARLIER_ANSWERS[earlier]} before`), h('div', { class: 'radios' }, radios))
            : h('div', { class: 'radios' }, radios),
        step.files.length > 0 && h('ul', { class: 'files' }, step.files.map((file) => h('li', {}, h('code', {}, file.path), FILE_KINDS[file.kind] && h('span', { class: 'dim' }, ` ${FILE_KINDS[file.kind]}`)))),
        step.checks.map((check) => h('p', { class: 'check' }, h('span', { class: 'dim' }, 'check '), h('code', {}, check))),
        step.after.length > 0 && h('p', { class: 'check dim' }, `after ${step.after.join(', ')}`));
    });
    this.model = h('input', { type: 'text', id: 'model', placeholder: 'as now', autocomplete: 'off', list: 'models', 'aria-describedby': 'price', oninput: () => this.modelChosen() });
    this.price = h('span', { class: 'dim', id: 'price', 'aria-live': 'polite' });
    this.effort = h('select', { id: 'effort', onchange: () => this.drawChoices() }, h('option', { value: '' }, 'as now'), this.request.efforts.map((name) => h('option', { value: name }, name)));
    this.budget = h('input', { type: 'number', id: 'budget', min: '0.01', step: '0.01', placeholder: 'no limit', oninput: () => this.drawChoices() });
    this.panel.replaceChildren(h('h2', {}, 'Steps'), ...rows,
      h('h2', {}, 'Implementation'),
      h('div', { class: 'terms' }, h('label', { htmlFor: 'model' }, 'Model'), this.model, this.price, h('label', { htmlFor: 'effort' }, 'Effort'), this.effort,
        h('label', { htmlFor: 'budget' }, 'Budget in US dollars'), this.budget, this.request.estimate && h('span', { class: 'dim' }, this.request.estimate)));
  }

  modelChosen() {
    const name = this.model.value.trim();
    this.price.textContent = name ? this.priceOf(name) : '';
    this.drawChoices();
  }

  priceOf(name) {
    return this.request.models.find((model) => model.name === name)?.price ?? 'price not known';
  }

  chooseStep(id, answer, earlier) {
    if (answer === earlier) this.steps.delete(id);
    else this.steps.set(id, answer);
    this.store();
    this.drawChoices();
  }

  // Choices

  answerAbout(step) {
    return this.steps.get(step.id) ?? EARLIER_STEPS[step.state] ?? 'approve';
  }

  /** True if every step is parked or dropped. An edited plan may have other steps: the session reads it. */
  excludesAllSteps() {
    const steps = this.request.contract?.steps ?? [];
    return steps.length > 0 && this.edited === null && steps.every((step) => this.answerAbout(step) !== 'approve');
  }

  /** What goes along with the answer, in words. */
  along() {
    const parts = [];
    if (this.comments.size) parts.push(plural(this.comments.size, 'comment'));
    if (this.edited !== null || this.editor) parts.push('your edit');
    const count = (answer) => [...this.steps.values()].filter((one) => one === answer).length;
    if (count('park')) parts.push(`${plural(count('park'), 'step')} parked`);
    if (count('drop')) parts.push(`${plural(count('drop'), 'step')} dropped`);
    if (this.model?.value.trim()) parts.push(`model ${this.model.value.trim()} (${this.priceOf(this.model.value.trim())})`);
    if (this.effort?.value) parts.push(`effort ${this.effort.value}`);
    if (this.budget?.value) parts.push(`budget $${this.budget.value}`);
    return parts;
  }

  drawChoices() {
    if (this.decided) return;
    const along = this.along();
    this.choices.replaceChildren(
      along.length ? h('p', { class: 'along' }, `Goes with whatever you choose: ${along.join(', ')}`) : '',
      h('div', { class: 'grid' }, this.request.choices.map((choice, at) => {
        const [words, mode] = choice.label.split(' → ');
        return h('div', { class: 'cell' }, h('button', {
          type: 'button', class: `choice ${choice.key}${at === 0 ? ' primary' : ''}`, disabled: this.unseen, 'aria-describedby': `then-${at}`, onclick: () => this.choose(choice),
        }, words, mode && h('span', { class: 'mode' }, ` → ${mode}`)), h('p', { class: 'then', id: `then-${at}` }, choice.then));
      })));
  }

  commentList() {
    return [...this.comments].map(([line, text]) => ({ line, text }));
  }

  /** The answer was sent: what was stored for it is not needed any more. */
  forget() {
    try {
      sessionStorage.removeItem(this.storeKey);
    } catch { /* Nothing is stored. */ }
  }

  /** Sends an answer with the comments. The news of it may come before its confirmation. */
  async send(answer) {
    this.sent = true;
    try {
      await api(`${this.address}/answer`, { sha256: this.request.plan?.sha256 ?? null, answer });
    } catch (error) {
      this.sent = false;
      this.redrawComments();
      throw error;
    }
  }

  async choose(choice) {
    // A page that slept must not answer for what it showed hours ago.
    await this.page.refresh();
    if (this.decided || this.unseen || this.page.review !== this) return;
    // A number that the browser can't read has no value, and must not become "no limit".
    if (choice.approves && this.budget && !this.budget.reportValidity()) return say('The budget can\'t be read: enter US dollars, for example 0.50.', 'bad');
    await this.takeEdit();
    if (choice.approves && this.excludesAllSteps()) return say('No step is approved: approve one in the list of steps.', 'bad');
    const keeps = choice.key === 'keepPlanning';
    const words = h('textarea', { id: 'words', rows: 3 });
    const along = this.along();
    const modes = this.request.choices.filter((other) => ['acceptEdits', 'default', 'restore'].includes(other.key));
    const mode = h('select', { id: 'mode' }, modes.map((other) => h('option', { value: other.mode, selected: other.mode === choice.mode }, other.mode)));
    const body = [
      h('p', { class: 'consequence' }, choice.consequence),
      h('p', { class: 'dim' }, along.length ? `Sent along: ${along.join(', ')}.` : 'Nothing is sent along.'),
      choice.key === 'clear' && [h('label', { htmlFor: 'mode' }, 'Then work in the mode'), mode],
      choice.key !== 'leave' && this.request.plan && [h('label', { htmlFor: 'words' }, keeps ? 'What should change? (optional)' : 'Note to the agent (optional)'), words],
    ].flat().filter(Boolean);
    const confirm = async () => {
      const text = words.value.trim() || undefined;
      const answer = {
        kind: 'plan', askId: this.request.ask, choice: choice.key, comments: this.commentList(),
        plan: this.edited ?? undefined, feedback: keeps ? text : undefined, notes: keeps ? undefined : text,
      };
      if (choice.key === 'clear') answer.mode = mode.value;
      if (choice.approves && this.request.plan) {
        answer.steps = Object.fromEntries(this.steps);
        answer.model = this.model?.value.trim() || undefined;
        answer.effort = this.effort?.value || undefined;
        answer.budgetUsd = this.budget?.value ? Number(this.budget.value) : undefined;
      }
      await this.send(answer);
      return { sent: choice };
    };
    const result = await dialog({ title: choice.label, body, confirm, tone: choice.key === 'leave' ? 'danger' : '' });
    if (result?.refused) {
      say(result.refused.message, 'bad');
      await this.page.refresh();
      if (!this.decided && !this.unseen && this.page.review === this) say(result.refused.message, 'bad');
    } else if (result?.sent) {
      this.forget();
    }
  }

  /** The plan has its answer; says which, and from whom. */
  showDecided(told) {
    this.decided = true;
    this.swap(null);
    this.redrawComments();
    const slug = this.request.path.split('/').pop().replace(/\.md$/, '');
    this.panel.hidden = true;
    this.notice.hidden = true;
    this.choices.replaceChildren(h('p', { class: 'told' }, h('strong', {}, told),
      this.request.local && slug && h('a', { href: `/plans/${encodeURIComponent(slug)}` }, 'Follow the plan'), h('a', { href: '/' }, 'Show everything that waits')));
    [this.editButton, this.stepsButton, this.rehearsalButton].forEach((button) => button && (button.disabled = true));
  }
}

function diffView(diff, title) {
  const count = h('p', { class: 'meta' }, h('span', { class: 'plus' }, `+${diff.added}`), h('span', { class: 'minus' }, `−${diff.removed}`), h('span', {}, title));
  return h('section', { class: 'diff', 'aria-label': title, tabIndex: -1 }, count, diff.html ? serverHtml(diff.html) : h('p', { class: 'empty' }, 'Nothing changed.'));
}
