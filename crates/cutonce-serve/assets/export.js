// The exported plan: comments on lines, which are saved to a file for `cutonce plans comments`.
const plan = JSON.parse(document.getElementById('about').textContent);
const comments = new Map();
const status = document.getElementById('status');

function element(tag, props, ...children) {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
}

function draw(line) {
  const row = document.querySelector(`[data-line="${line}"]`);
  document.querySelector(`[data-card="${line}"]`)?.remove();
  row.classList.toggle('commented', comments.has(line));
  if (comments.has(line)) {
    const card = element('div', { className: 'card' }, element('p', { textContent: comments.get(line) }));
    card.dataset.card = line;
    row.after(card);
  }
  document.getElementById('save').disabled = !comments.size;
  status.textContent = `${comments.size} comment${comments.size === 1 ? '' : 's'}`;
}

function comment(line) {
  document.querySelector(`[data-card="${line}"]`)?.remove();
  const id = `comment-${line}`;
  const words = element('textarea', { id, rows: 3, value: comments.get(line) ?? '' });
  const save = () => {
    if (words.value.trim()) comments.set(line, words.value.trim());
    else comments.delete(line);
    draw(line);
  };
  const card = element('div', { className: 'card open' }, element('label', { htmlFor: id, textContent: `Your comment on line ${line}` }), words,
    element('div', { className: 'buttons' }, element('button', { type: 'button', className: 'main', textContent: 'Save comment', onclick: save }),
      element('button', { type: 'button', textContent: 'Cancel', onclick: () => draw(line) })));
  card.dataset.card = line;
  document.querySelector(`[data-line="${line}"]`).after(card);
  words.focus();
}

document.querySelectorAll('button.n').forEach((number) => number.setAttribute('tabindex', '0'));
document.querySelector('.plan').addEventListener('click', (event) => {
  const number = event.target.closest('button.n');
  if (number) comment(Number(number.textContent));
});
document.getElementById('save').addEventListener('click', () => {
  const list = [...comments].sort((a, b) => a[0] - b[0]).map(([line, text]) => ({ line, text }));
  const file = new Blob([JSON.stringify({ ...plan, comments: list }, null, 2)], { type: 'application/json' });
  const link = element('a', { href: URL.createObjectURL(file), download: `${plan.slug}.comments.json` });
  link.click();
  URL.revokeObjectURL(link.href);
});
