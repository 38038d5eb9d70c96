// Questions of the model, and calls that need a permission.

import { ago, api, dialog, folder, h, say, show } from './dom.js';

/** Draws a request that is not about a plan; `answered` is called when it is closed. */
export function askView(request, address) {
  const title = request.kind === 'permission' ? `${request.tool ?? 'A call'} needs your permission` : request.title;
  document.title = `${title} · cutonce`;
  const body = request.kind === 'questions' ? questions(request, address) : choices(request, address);
  show(h('article', { class: 'page ask' },
    h('h1', {}, request.kind === 'questions' ? 'The agent asks' : title),
    h('p', { class: 'meta' }, folder(request.project), request.asker && h('span', {}, request.asker), h('span', {}, ago(request.since))),
    body));
}

async function send(address, answer, told) {
  say(told);
  return (await api(`${address}/answer`, { answer })) ?? true;
}

function refused(result) {
  if (result?.refused) say(result.refused.message, 'bad');
}

function choices(request, address) {
  const run = async (choice) => {
    const message = h('textarea', { id: 'words', rows: 3 });
    const body = [h('p', { class: 'consequence' }, choice.consequence)];
    if (choice.key === 'deny') body.push(h('label', { htmlFor: 'words' }, 'Tell the agent why, or what to do instead (optional)'), message);
    refused(await dialog({
      title: choice.label, body, tone: choice.key === 'deny' ? 'danger' : '',
      confirm: () => send(address, choice.key === 'deny' ? { ...choice.answer, message: message.value } : choice.answer, `Sent: ${choice.label}`),
    }));
  };
  return [
    request.text && h('pre', { class: 'call', tabIndex: 0 }, request.text),
    request.why && h('p', {}, h('strong', {}, 'Why you are asked: '), request.why),
    h('div', { class: 'bar stacked', role: 'group', 'aria-label': 'Choices' }, request.choices.map((choice, at) => h('div', {},
      h('button', { type: 'button', class: choice.key === 'allow' ? 'choice' : 'choice danger', 'aria-describedby': `then-${at}`, onclick: () => run(choice) }, choice.label),
      h('p', { class: 'then', id: `then-${at}` }, choice.consequence)))),
  ];
}

function questions(request, address) {
  const sets = request.questions.map((question, number) => {
    const kind = question.multiSelect ? 'checkbox' : 'radio';
    const own = h('input', { type: 'text', 'aria-label': `Your own answer to: ${question.question}`, placeholder: 'Your own answer' });
    const boxes = question.options.map((option) => h('input', { type: kind, name: `q${number}`, value: option.label }));
    const rows = question.options.map((option, at) => h('label', { class: 'option' }, boxes[at],
      h('span', {}, h('strong', {}, option.label), ' ', h('span', { class: 'dim' }, option.description),
        option.preview && h('pre', { class: 'call' }, option.preview))));
    own.addEventListener('input', () => {
      if (kind === 'radio' && own.value) boxes.forEach((box) => (box.checked = false));
    });
    return {
      element: h('fieldset', {}, h('legend', {}, question.question), rows, own),
      answers: () => [...boxes.filter((box) => box.checked).map((box) => box.value), ...(own.value.trim() ? [own.value.trim()] : [])],
    };
  });
  const ask = async (label, consequence, answer) => refused(await dialog({
    title: label, body: h('p', { class: 'consequence' }, consequence), confirm: () => send(address, answer(), `Sent: ${label}`),
  }));
  const answered = () => ({ kind: 'questions', outcome: 'answered', answers: sets.map((set) => set.answers()) });
  const submit = async (event) => {
    event.preventDefault();
    const missing = sets.findIndex((set) => !set.answers().length);
    if (missing >= 0) {
      say(`Question ${missing + 1} has no answer yet.`, 'bad');
      sets[missing].element.querySelector('input')?.focus();
      return;
    }
    const words = sets.map((set) => set.answers().join(', ')).join(' · ');
    await ask('Send answers', `The agent gets your answers and continues: ${words}`, answered);
  };
  return h('form', { onsubmit: submit }, sets.map((set) => set.element),
    h('div', { class: 'bar', role: 'group', 'aria-label': 'Choices' },
      h('button', { type: 'submit', class: 'choice primary' }, 'Send answers'),
      h('button', {
        type: 'button', class: 'choice',
        onclick: () => ask('Skip the questions', 'The agent continues without your answers.', () => ({ kind: 'questions', outcome: 'skipped' })),
      }, 'Skip the questions')));
}
