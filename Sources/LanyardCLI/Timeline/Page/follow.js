// SPDX-License-Identifier: Apache-2.0
// MARK: Events that arrive while the page is open

// Beyond this number, the older half of the events is dropped.
const EVENT_LIMIT = 20000;
// The time in view at the beginning, in µs.
const FOLLOWED = 12e6;

// The time in view while the page follows, and the time in view when it last showed the end.
let followed = FOLLOWED, shown = 0;
const isFollowing = () => view.to >= scale.width;

/// Takes events: [µs since the beginning, device, lane, text, detail, sent, layer, bytes].
function follow(update) {
  const isAtEnd = isFollowing() || update.reset;
  const width = view.to - view.from;
  // A person has zoomed.
  if (isAtEnd && shown && Math.abs(width - shown) > shown * .01) followed = width;
  if (update.reset) { finish = start + 1000; dropEvents(events.length); }
  let isNew = addDevices(update.devices);
  for (const fields of update.events) isNew = addEvent(fields) || isNew;
  if (events.length > EVENT_LIMIT) { dropEvents(EVENT_LIMIT / 2); list(); }
  extendStates();
  data.remarks = update.leftOut
    ? [`${update.leftOut.toLocaleString('en')} packets left out, such as advertising`] : [];
  if (isNew) { arrange(); drawLaneChips(); }
  if (isAtEnd) showEnd(); else followView();
  redraw();
}

function addDevices(names) {
  const isNew = names.length > data.devices.length;
  for (const name of names.slice(data.devices.length)) {
    data.devices.push(name);
    lanesOf.push(LANES.map(() => []));
  }
  return isNew;
}

/// Adds an event at the end. Returns whether it is the first of its row.
function addEvent([at, device, lane, text, detail, sent, layer, bytes]) {
  const time = Math.max(at, scale.end);
  const event = {
    index: events.length, time, device, lane, sent, end: time, count: 1,
    layer: LAYERS[layer || 0], text, detail: detail || '', matches: true, bytes: bytes || '',
  };
  events.push(event);
  finish = Math.max(finish, time);
  extendScale(scale, time);
  const row = lanesOf[device][lane];
  const previous = row[row.length - 1];
  if (lane === STATE && previous) [previous.end, previous.isLast] = [time, false];
  event.isLast = lane === STATE;
  row.push(event);
  match(event, searchWords());
  if (event.matches && view.lanes.has(lane)) {
    event.line = matching.length;
    matching.push(event);
  }
  return row.length === 1;
}

function extendStates() {
  for (const lanes of lanesOf) {
    const last = lanes[STATE][lanes[STATE].length - 1];
    if (last) last.end = finish;
  }
}

/// Drops the oldest events.
function dropEvents(count) {
  events.splice(0, count);
  events.forEach((event, index) => { event.index = index; });
  for (const lanes of lanesOf) for (const row of lanes) row.length = 0;
  for (const event of events) lanesOf[event.device][event.lane].push(event);
  if (view.mark && !events.includes(view.mark)) view.mark = null;
  if (view.selected && !events.includes(view.selected)) select(null);
  scale = makeScale(areFolded());
  list();
}

function showEnd() {
  show(scale.width - followed * .98, scale.width + followed * .02);
  shown = view.to - view.from;
  if (!view.selected) rowsBox.scrollTop = rowsBox.scrollHeight;
  drawList();
}

/// Takes the theme of the page around this one.
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  paint();
}

if (data.live) {
  document.body.classList.add('live');
  element('theme').hidden = true;
  element('follow').hidden = false;
  element('follow').onclick = () => { select(null); showEnd(); };
  keys.End = () => { select(null); showEnd(); };
  window.follow = follow;
  window.setTheme = setTheme;
}
