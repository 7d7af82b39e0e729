// SPDX-License-Identifier: Apache-2.0
// MARK: The view

// The shortest time that fills the board, in µs.
const CLOSEST = 200;

function show(from, to) {
  const margin = scale.width * .015;
  const width = Math.min(Math.max(to - from, CLOSEST), scale.width + 2 * margin);
  const center = (from + to) / 2;
  const least = -margin, most = scale.width + margin - width;
  view.from = Math.max(least, Math.min(most, center - width / 2));
  view.to = view.from + width;
  pointAtNothing();
  followView();
  redraw();
  writeAddress();
  const current = currentChapter();
  const isWithin = width < 1.3 * chapterWidth(current);
  document.querySelectorAll('#chapters button').forEach((button, index) =>
    button.setAttribute('aria-current', isWithin && index === current));
}

function zoom(factor, place = (view.from + view.to) / 2) {
  const width = (view.to - view.from) * factor;
  const share = (place - view.from) / (view.to - view.from);
  show(place - width * share, place + width * (1 - share));
}

const pan = by => show(view.from + by, view.to + by);
const showAll = () => show(-scale.width, 2 * scale.width);

function zoomTo(event) {
  const place = placeOf(event.time);
  if (event.lane === STATE) {
    const end = placeOf(event.end), margin = Math.max(CLOSEST, (end - place) * .1);
    return show(place - margin, end + margin);
  }
  const width = Math.max(CLOSEST, (view.to - view.from) / 8);
  show(place - width / 2, place + width / 2);
}

function setFolds(folds) {
  const [from, to] = [timeAt(view.from), timeAt(view.to)];
  scale = makeScale(folds);
  element('folds').setAttribute('aria-pressed', folds);
  show(placeOf(from), placeOf(to));
}

const areFolded = () => element('folds').getAttribute('aria-pressed') === 'true';

// MARK: Links to a moment

let writing = 0;

/// Writes the view and the selection to the address of the page, if they stay the same for a while.
function writeAddress() {
  // A live page drops old events, so the address of a moment would not stay valid.
  if (data.live) return;
  clearTimeout(writing);
  writing = setTimeout(() => {
    const seconds = place => ((timeAt(place) - start) / 1e6).toFixed(6);
    const fields = new URLSearchParams();
    if (view.to - view.from < scale.width) {
      fields.set('from', seconds(view.from));
      fields.set('to', seconds(view.to));
    }
    if (view.selected) fields.set('event', view.selected.index);
    history.replaceState(null, '', `#${fields}`);
  }, 300);
}

/// Shows the moment in the address; everything if there is none.
function readAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const [from, to] = ['from', 'to']
    .map(name => start + Number(fields.get(name) ?? NaN) * 1e6);
  if (from < to) show(placeOf(from), placeOf(to)); else showAll();
  const event = events[Number(fields.get('event') ?? NaN)];
  if (event) select(event, { moves: !(from < to), scrolls: true });
}
addEventListener('hashchange', readAddress);

// MARK: Pointing

function eventAt(x, y) {
  const row = layout.rows.find(row => {
    const top = row.y - stage.scrollTop;
    return y >= top - 1 && y < top + row.height + 1;
  });
  if (!row || x < GUTTER || y < AXIS) return null;
  const time = timeAt(toPlace(x));
  if (row.lane === STATE) return stateAt(row.device, time) || null;
  const index = lowerBound(row.events, time, event => event.time);
  const near = row.events.slice(Math.max(0, index - 3), index + 3)
    .map(event => ({ event, distance: Math.abs(xOf(event.time) - x) }))
    .sort((a, b) => a.distance - b.distance)[0];
  if (near && near.distance <= 7) return near.event;
  const before = row.events[index - 1];
  return before && (before.end >= time || isLabelAt(before, row.events[index], x))
    ? before : null;
}

const isLabelAt = (event, next, x) => {
  const left = xOf(event.time) + 8;
  const right = Math.min(next ? xOf(next.time) - 8 : Infinity,
    left + context.measureText(titleOf(event)).width);
  return right - left > 16 && x >= left && x <= right;
};

function point(mouse) {
  const box = board.getBoundingClientRect();
  const found = eventAt(mouse.clientX - box.left, mouse.clientY - box.top);
  if (found !== view.hovered) { view.hovered = found; redraw(); }
  const tip = element('tip');
  tip.style.visibility = found ? 'visible' : 'hidden';
  board.style.cursor = found ? 'pointer' : '';
  if (!found) return;
  tip.replaceChildren(titleOf(found), ...tipLines(found).map(text => make('small', '', text)));
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(4, Math.min(mouse.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${mouse.clientY + 20 + height > innerHeight
    ? mouse.clientY - height - 12 : mouse.clientY + 20}px`;
}

function pointAtNothing() {
  view.hovered = null;
  element('tip').style.visibility = 'hidden';
}

function tipLines(event) {
  const lines = [];
  if (event.detail) lines.push(event.detail);
  lines.push(event.lane === STATE
    ? `${moment(event.time)}, for ${span(event.end - event.time)}`
    : `${moment(event.time)} · ${kindOf(event)}`);
  if (view.selected && view.selected !== event) {
    const apart = event.time - view.selected.time;
    lines.push(`${span(Math.abs(apart))} ${apart < 0 ? 'before' : 'after'} the selection`);
  }
  return lines;
}

// MARK: Dragging

const pointers = new Map();
let dragged = 0;

board.addEventListener('pointerdown', event => {
  if (event.button !== 0) return;
  board.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  dragged = 0;
});
board.addEventListener('pointermove', event => {
  const last = pointers.get(event.pointerId);
  if (!last) return point(event);
  const others = [...pointers].filter(([id]) => id !== event.pointerId);
  const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
  dragged += Math.abs(dx) + Math.abs(dy);
  if (dragged > 4) board.classList.add('dragging');
  if (others.length) pinch(last.x, event.clientX, others[0][1].x);
  else {
    pan(-dx / boardWidth() * (view.to - view.from));
    stage.scrollTop -= dy;
  }
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
});
const drop = event => {
  if (!pointers.delete(event.pointerId)) return;
  board.classList.remove('dragging');
  if (dragged > 4 || event.type === 'pointercancel') return;
  const box = board.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  if (y < 22 && x > GUTTER) {
    const time = timeAt(toPlace(x));
    const index = lowerBound(data.chapters, time + 1, chapter => chapter.time) - 1;
    return showChapter(index);
  }
  select(eventAt(x, y), { scrolls: true });
};
board.addEventListener('pointerup', drop);
board.addEventListener('pointercancel', drop);
board.addEventListener('pointerleave', () => { pointAtNothing(); redraw(); });
board.addEventListener('dblclick', event => {
  const x = event.clientX - board.getBoundingClientRect().left;
  zoom(1 / 4, toPlace(x));
});

function pinch(from, to, other) {
  const apart = Math.abs(to - other) || 1, before = Math.abs(from - other) || 1;
  zoom(before / apart, toPlace((to + other) / 2 - board.getBoundingClientRect().left));
}

board.addEventListener('wheel', event => {
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 30 : 1;
  const [dx, dy] = [event.deltaX * lines, event.deltaY * lines];
  if (event.altKey) { stage.scrollTop += dy; return; }
  const along = event.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : 0;
  if (along) return pan(along / boardWidth() * (view.to - view.from));
  const x = event.clientX - board.getBoundingClientRect().left;
  zoom(Math.exp(Math.max(-120, Math.min(120, dy)) / 400), toPlace(Math.max(GUTTER, x)));
}, { passive: false });

const mapBox = element('map');
const toMap = event => {
  const box = map.getBoundingClientRect();
  const share = (event.clientX - box.left - GUTTER) / (box.width - GUTTER - 10);
  const width = view.to - view.from;
  show(share * scale.width - width / 2, share * scale.width + width / 2);
};
map.addEventListener('pointerdown', event => {
  map.setPointerCapture(event.pointerId);
  mapBox.classList.add('dragging');
  toMap(event);
});
map.addEventListener('pointermove', event => { if (event.buttons) toMap(event); });
map.addEventListener('pointerup', () => mapBox.classList.remove('dragging'));

// MARK: Keys and buttons

const quarter = () => (view.to - view.from) / 4;
const keys = {
  'ArrowLeft': () => pan(-quarter()), 'ArrowRight': () => pan(quarter()),
  'ArrowUp': () => step(-1), 'ArrowDown': () => step(1),
  'PageUp': () => step(-10), 'PageDown': () => step(10),
  'Home': () => step(-Infinity), 'End': () => step(Infinity),
  '+': () => zoom(1 / 2), '=': () => zoom(1 / 2), '-': () => zoom(2), '0': showAll,
  'f': () => setFolds(!areFolded()), 'm': toggleMark, '/': () => element('query').focus(),
  '[': () => showChapter(Math.max(0, currentChapter() - 1)),
  ']': () => showChapter(Math.min(data.chapters.length - 1, currentChapter() + 1)),
  'Enter': () => view.selected && zoomTo(view.selected), 'Escape': () => select(null),
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.id === 'query') return keyInSearch(event);
  if (event.target.tagName === 'BUTTON' && event.key === 'Enter') return;
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});
function keyInSearch(event) {
  if (event.key === 'Escape') {
    event.target.value = '';
    event.target.dispatchEvent(new Event('input'));
    stage.focus();
  } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
    event.preventDefault();
    rowsBox.focus();
    step(1);
  }
}
element('query').addEventListener('input', event => {
  view.query = event.target.value;
  list();
  redraw();
});
element('closer').onclick = () => zoom(1 / 2);
element('farther').onclick = () => zoom(2);
element('all').onclick = showAll;
element('folds').onclick = () => setFolds(!areFolded());
element('theme').onclick = () => {
  document.documentElement.dataset.theme = isDark ? 'light' : 'dark';
  paint();
};
stage.addEventListener('scroll', redraw);
rowsBox.addEventListener('scroll', drawList);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
new ResizeObserver(() => { redraw(); drawList(); }).observe(document.body);

// MARK: The beginning

function drawLaneChips() {
  element('lanes').replaceChildren();
  ROW_LANES.forEach(lane => {
    if (!lanesOf.some(lanes => lanes[lane].length)) return;
    const ink = lane === STATE ? 'soft' : lane === PACKET ? 'att' : LANES[lane];
    const chip = make('button', 'chip', icon(LANES[lane], `var(--${ink})`), LANE_NAMES[lane]);
    chip.setAttribute('aria-pressed', view.lanes.has(lane));
    chip.onclick = () => {
      if (!view.lanes.delete(lane)) view.lanes.add(lane);
      chip.setAttribute('aria-pressed', view.lanes.has(lane));
      arrange();
      list();
      redraw();
    };
    element('lanes').append(chip);
  });
}

function paint() {
  readColors();
  drawGuide();
  drawList();
  redraw();
}

document.title = data.title;
element('title').textContent = data.title;
element('subtitle').textContent = data.subtitle;
readColors();
drawLaneChips();
arrange();
list();
drawDetail();
drawGuide();
readAddress();
