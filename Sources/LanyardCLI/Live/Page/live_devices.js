// SPDX-License-Identifier: Apache-2.0
// MARK: The list

const ROW = 46, OLD_SECONDS = 10, SORT_SECONDS = 1;
const listBox = element('list'), listSpace = listBox.firstElementChild;
const pool = [];
let listed = [], sortedAt = -Infinity, isPointedAt = false;

const ORDERS = {
  signal: (a, b) => (b.rssi ?? -999) - (a.rssi ?? -999),
  name: (a, b) => (a.name === null) - (b.name === null) || nameOf(a).localeCompare(nameOf(b)),
  reports: (a, b) => b.reports - a.reports,
  seen: (a, b) => b.seen - a.seen,
};

function isShown(device, words) {
  if (element('connectable').checked && !device.connectable) return false;
  const text = `${nameOf(device)} ${device.key} ${device.summary}`.toLowerCase();
  return words.every(word => text.includes(word));
}

/// Sorts the list, once a second at most. While the mouse is over the list, its rows stay where
/// they are, so that a click reaches the intended row. New devices come after these rows.
function sortList(isForced = false) {
  if (!isForced && seconds() - sortedAt < SORT_SECONDS) return;
  sortedAt = seconds();
  const held = isPointedAt && !isForced ? listed : [];
  const places = new Map(held.map((device, at) => [device, at]));
  const words = element('query').value.toLowerCase().split(/\s+/).filter(Boolean);
  const order = ORDERS[element('order').value];
  listed = [...devices.values()].filter(device => isShown(device, words));
  const place = device => places.get(device) ?? places.size;
  listed.sort((a, b) => place(a) - place(b) || order(a, b) || a.key.localeCompare(b.key));
  listSpace.style.height = `${listed.length * ROW}px`;
  const hidden = devices.size - listed.length;
  const noun = listed.length === 1 ? 'device' : 'devices';
  const count = `${listed.length} ${noun}` + (hidden ? `, ${hidden} not shown` : '');
  if (element('count').textContent !== count) element('count').textContent = count;
}

/// Draws the rows in view, and reuses their elements.
function drawList() {
  const first = Math.max(0, Math.floor(listBox.scrollTop / ROW));
  const last = Math.min(listed.length,
    Math.ceil((listBox.scrollTop + listBox.clientHeight) / ROW) + 1);
  while (pool.length < last - first) pool.push(makeRow());
  pool.forEach((row, index) => {
    const device = first + index < last ? listed[first + index] : null;
    row.box.hidden = !device;
    if (device) fillRow(row, device, first + index);
  });
  const at = listed.indexOf(selected);
  if (at >= first && at < last) listBox.setAttribute('aria-activedescendant', `row${at - first}`);
  else listBox.removeAttribute('aria-activedescendant');
}

function makeRow() {
  const row = { name: make('b'), more: make('small'), level: make('span', 'level'),
    canvas: make('canvas'), device: null };
  row.box = make('div', 'device', make('div', '', row.name, row.more), row.canvas, row.level);
  row.box.setAttribute('role', 'option');
  row.box.id = `row${pool.length}`;
  row.canvas.setAttribute('aria-hidden', true);
  row.box.onclick = () => select(row.device);
  row.box.ondblclick = () => { if (row.device.link.state === 'idle') connect(row.device); };
  listSpace.append(row.box);
  return row;
}

const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

function fillRow(row, device, index) {
  row.device = device;
  const { state } = device.link;
  put(row.name, nameOf(device));
  put(row.more, state === 'idle' ? device.summary || device.key : state);
  put(row.level, device.rssi === null ? '' : String(device.rssi));
  row.level.style.color = `var(--${toneOf(device.rssi)})`;
  const isOld = state !== 'connected' && seconds() - device.seen > OLD_SECONDS;
  row.box.className = isOld ? 'device old' : 'device';
  row.box.style.top = `${index * ROW}px`;
  row.box.setAttribute('aria-selected', device === selected);
  row.box.setAttribute('aria-posinset', index + 1);
  row.box.setAttribute('aria-setsize', listed.length);
  drawSpark(row.canvas, device);
}

// MARK: Choosing

function select(device) {
  selected = device;
  document.body.dataset.tab = 'device';
  showTabs();
  drawDevice();
  drawList();
}

function step(by) {
  if (!listed.length) return;
  const at = Math.max(0, Math.min(listed.length - 1, listed.indexOf(selected) + by));
  selected = listed[at];
  const top = at * ROW;
  if (top < listBox.scrollTop) listBox.scrollTop = top;
  if (top + ROW > listBox.scrollTop + listBox.clientHeight) {
    listBox.scrollTop = top + ROW - listBox.clientHeight;
  }
  drawDevice();
  drawList();
}

listBox.addEventListener('keydown', event => {
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e6, End: 1e6 };
  if (Object.hasOwn(moves, event.key)) {
    event.preventDefault();
    step(moves[event.key]);
  } else if (event.key === 'Enter' && selected) {
    event.preventDefault();
    select(selected);
    if (selected.link.state === 'idle' && selected.connectable) connect(selected);
  }
});
listBox.addEventListener('scroll', drawList);
listBox.addEventListener('pointerenter', event => {
  isPointedAt = event.pointerType === 'mouse';
});
listBox.addEventListener('pointerleave', () => { isPointedAt = false; });
for (const id of ['query', 'order', 'connectable']) {
  element(id).addEventListener('input', () => { sortList(true); drawList(); });
}
document.addEventListener('keydown', event => {
  if (event.key !== '/' || /INPUT|SELECT/.test(event.target.tagName)) return;
  event.preventDefault();
  document.body.dataset.tab = 'devices';
  showTabs();
  element('query').focus();
});
