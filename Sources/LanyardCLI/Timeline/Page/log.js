// SPDX-License-Identifier: Apache-2.0
const LINE = 22;
const rowsBox = element('rows'), rowsSpace = rowsBox.firstElementChild;
// The events that pass the search and the lanes, and those of them in view.
let matching = [], listed = [], listedFrom = 0;

// MARK: List

const searchWords = () => view.query.toLowerCase().split(/\s+/).filter(Boolean);

/// Notes whether an event has the words of the search.
function match(event, asked) {
  const where = data.devices[event.device];
  const text = [event.text, words(event.text), event.detail, where, LANES[event.lane],
    event.lane === PACKET ? event.layer : ''].join(' ').toLowerCase();
  event.matches = asked.every(word => text.includes(word));
}

function list() {
  const asked = searchWords();
  for (const event of events) match(event, asked);
  matching = events.filter(event => event.matches && view.lanes.has(event.lane));
  matching.forEach((event, index) => { event.line = index; });
  listed = null;
  followView();
}

/// Lists the events in view.
function followView() {
  const from = lowerBound(matching, timeAt(view.from), event => event.time);
  const to = lowerBound(matching, timeAt(view.to) + 1e-3, event => event.time);
  if (listed && from === listedFrom && to - from === listed.length) return;
  [listed, listedFrom] = [matching.slice(from, to), from];
  rowsSpace.style.height = `${listed.length * LINE}px`;
  element('count').textContent = countText();
  rowsBox.scrollTop = 0;
  if (isListed(view.selected)) scrollList(view.selected);
  drawList();
}

const isListed = event => Boolean(event) && listed[event.line - listedFrom] === event;
const isMatching = event => Boolean(event) && matching[event.line] === event;

function countText() {
  const number = listed.length.toLocaleString('en');
  const isPart = listed.length < events.length;
  const all = isPart ? ` of ${events.length.toLocaleString('en')}` : '';
  const noun = events.length === 1 ? 'event' : 'events';
  const place = listed.length < matching.length ? ' in view' : '';
  return [`${number}${all} ${noun}${place}`, ...data.remarks].join(' · ');
}

/// Scrolls the list to an event that it does not show.
function scrollList(event) {
  const top = (event.line - listedFrom) * LINE;
  const isVisible = top >= rowsBox.scrollTop
    && top + LINE <= rowsBox.scrollTop + rowsBox.clientHeight;
  if (!isVisible) rowsBox.scrollTop = top - rowsBox.clientHeight / 2;
}

function drawList() {
  const first = Math.max(0, Math.floor(rowsBox.scrollTop / LINE) - 5);
  const last = Math.min(listed.length,
    Math.ceil((rowsBox.scrollTop + rowsBox.clientHeight) / LINE) + 5);
  rowsSpace.replaceChildren(...listed.slice(first, last).map(drawLine));
  const at = view.selected ? view.selected.line - listedFrom : -1;
  const isShown = at >= first && at < last && isListed(view.selected);
  if (isShown) rowsBox.setAttribute('aria-activedescendant', `e${view.selected.index}`);
  else rowsBox.removeAttribute('aria-activedescendant');
}

function drawLine(event) {
  const lane = event.lane === PACKET
    ? `${event.layer.toUpperCase()} ${event.sent ? '→' : '←'}` : LANES[event.lane];
  const what = make('span', 'what', lane);
  what.style.setProperty('--lane', event.lane === STATE
    ? stateColors(event.text).edge
    : `var(--${event.lane === PACKET ? event.layer : LANES[event.lane]})`);
  const line = make('div', `row ${LANES[event.lane]}`,
    make('time', '', moment(event.time)),
    make('span', '', data.devices[event.device]), what,
    make('span', 'text', titleOf(event), make('span', 'more', event.detail)));
  line.id = `e${event.index}`;
  line.style.top = `${(event.line - listedFrom) * LINE}px`;
  line.setAttribute('role', 'option');
  line.setAttribute('aria-selected', event === view.selected);
  line.setAttribute('aria-posinset', event.line - listedFrom + 1);
  line.setAttribute('aria-setsize', listed.length);
  line.onclick = () => select(event, { moves: true });
  return line;
}

// MARK: Selection

/// Selects an event or none. `moves` and `scrolls` bring it into view on the board and in the list.
function select(event, { moves = false, scrolls = false } = {}) {
  view.selected = event;
  document.body.classList.toggle('selected', Boolean(event));
  drawDetail();
  if (event && moves) bringIntoView(event);
  if (scrolls && isListed(event)) scrollList(event);
  drawList();
  writeAddress();
  redraw();
}

function bringIntoView(event) {
  const place = placeOf(event.time), width = view.to - view.from;
  if (place < view.from + width * .05 || place > view.to - width * .1) {
    show(place - width / 3, place + width * 2 / 3);
  }
  const row = layout.rows.find(
    row => row.device === event.device && row.lane === event.lane);
  if (!row) return;
  if (row.y - AXIS < stage.scrollTop) stage.scrollTop = row.y - AXIS - 20;
  else if (row.y + 40 > stage.scrollTop + stage.clientHeight) {
    stage.scrollTop = row.y + 40 - stage.clientHeight;
  }
}

/// Selects the event `by` lines later, or earlier if `by` is negative. The view moves if the event
/// is outside of it.
function step(by) {
  if (!matching.length) return;
  const at = isMatching(view.selected) ? view.selected.line + by : nearestMatching();
  const line = Math.max(0, Math.min(matching.length - 1, at));
  select(matching[line], { moves: true, scrolls: true });
}

const nearestMatching = () => Math.min(matching.length - 1,
  lowerBound(matching, view.selected ? view.selected.time : timeAt(view.from),
    event => event.time));

// MARK: Details

function drawDetail() {
  const box = element('detail'), event = view.selected;
  box.replaceChildren();
  if (!event) {
    box.append(make('h2', '', 'This page'), make('p', '',
      'Every device has its own rows, and time runs from left to right. The rows show the '
      + 'state of the device, calls to the system, callbacks from it, and packets to and '
      + 'from the controller. Point at an event to read it, and click to select it.'));
    return;
  }
  box.append(make('h2', event.lane === PACKET ? 'packet' : '', titleOf(event)));
  if (event.detail) box.append(make('p', '', event.detail));
  box.append(facts(event), detailButtons(event));
  if (event.bytes) box.append(bytesOf(event));
}

function facts(event) {
  const rows = [['Device', data.devices[event.device]], ['What', kindOf(event)],
    ['When', moment(event.time, 6)]];
  if (calendar(event.time)) rows.push(['Date', calendar(event.time)]);
  if (event.lane === STATE) {
    rows.push(['Duration', span(event.end - event.time) + (event.isLast ? ', to the end' : '')]);
  } else {
    const states = lanesOf[event.device][STATE];
    const state = states[lowerBound(states, event.index, state => state.index) - 1];
    if (state) rows.push(['In state', words(state.text)]);
  }
  if (event.count > 1) {
    rows.push(['Alike', `${event.count}, within ${span(event.end - event.time)}`]);
  }
  const before = lanesOf[event.device][event.lane];
  const previous = before[before.indexOf(event) - 1];
  if (previous) rows.push(['After', `${span(event.time - previous.time)}: ${titleOf(previous)}`]);
  rows.push(...relations(event));
  const list = make('dl');
  for (const [key, value] of rows) list.append(make('dt', '', key), make('dd', '', value));
  return list;
}

function kindOf(event) {
  if (event.lane === PACKET) {
    const way = event.sent ? 'to the controller' : 'from the controller';
    return `${event.layer.toUpperCase()} packet, ${way}`;
  }
  return ['state', 'call to the system', 'callback from the system', '', 'remark'][event.lane];
}

function stateAt(device, time) {
  const states = lanesOf[device][STATE];
  return states[lowerBound(states, time + .5, event => event.time) - 1];
}

function detailButtons(event) {
  const button = (text, action) => {
    const made = make('button', '', text);
    made.onclick = action;
    return made;
  };
  return make('div', 'group', button('Closer', () => zoomTo(event)),
    button('Before', () => step(-1)), button('After', () => step(1)),
    button(view.mark === event ? 'Remove mark' : 'Mark', toggleMark),
    button('Close', () => select(null)));
}
