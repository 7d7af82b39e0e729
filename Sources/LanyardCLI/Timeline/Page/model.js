// SPDX-License-Identifier: Apache-2.0
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const element = id => document.getElementById(id);

// The lanes in the order of the data. Rows are in the order of ROW_LANES.
const STATE = 0, CALL = 1, CALLBACK = 2, PACKET = 3, NOTE = 4;
const LANES = ['state', 'call', 'callback', 'packet', 'note'];
const LANE_NAMES = ['States', 'Calls', 'Callbacks', 'Packets', 'Notes'];
const ROW_LANES = [STATE, NOTE, CALL, CALLBACK, PACKET];
const LAYERS = ['hci', 'll', 'l2cap', 'att', 'smp'];

// An event is [µs since the previous event, device, lane, text, detail]. A packet and a folded
// event add [whether the host sent it, layer]. A folded event and a packet with bytes add [the
// number of equal events, µs to the last], and these packets add [bytes in hexadecimal]. A text is
// an index in `data.texts`.
function readEvents() {
  let time = 0;
  return data.events.map((fields, index) => {
    const [step, device, lane, text, detail, sent, layer, count, lasts, bytes] = fields;
    time += step;
    return {
      index, time, device, lane, sent, end: time + (lasts || 0), count: count || 1,
      layer: LAYERS[layer || 0], text: data.texts[text],
      detail: detail >= 0 ? data.texts[detail] : '', matches: true,
      bytes: bytes === undefined ? '' : data.texts[bytes],
    };
  });
}

const events = readEvents();
const start = events.length ? events[0].time : 0;
let finish = events.reduce((end, event) => Math.max(end, event.end), start + 1000);

// The events of each device by lane. A state lasts until the next.
const lanesOf = data.devices.map(() => LANES.map(() => []));
for (const event of events) lanesOf[event.device][event.lane].push(event);
for (const lanes of lanesOf) {
  lanes[STATE].forEach((event, index) => {
    const next = lanes[STATE][index + 1];
    event.end = next ? next.time : finish;
    event.isLast = !next;
  });
}

/// Returns the first index whose element is not less than `value`.
function lowerBound(array, value, key) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(array[middle]) < value) low = middle + 1; else high = middle;
  }
  return low;
}

// MARK: Time on the page

// The longest idle time that is not folded, in µs.
const FOLD_FROM = 1e6;

/// Makes a scale: consecutive pieces of time, each with its place `at` and its `width`.
function makeScale(folds) {
  const times = [start, finish, ...data.chapters.map(chapter => chapter.time)];
  for (const event of events) times.push(event.time);
  times.sort((a, b) => a - b);
  const made = { pieces: [], width: 0, folds, end: times[0] };
  for (const time of times) extendScale(made, time);
  return made;
}

/// Adds the time up to the next event.
function extendScale(made, to) {
  const from = made.end, gap = to - from;
  if (gap <= 0) return;
  made.end = to;
  if (!made.folds || gap <= FOLD_FROM) return addPiece(made, from, to, gap, false);
  const margin = FOLD_FROM / 20;
  addPiece(made, from, from + margin, margin, false);
  const width = FOLD_FROM * (0.6 + 0.2 * Math.log10(gap / FOLD_FROM));
  addPiece(made, from + margin, to - margin, width, true);
  addPiece(made, to - margin, to, margin, false);
}

function addPiece(made, from, to, width, folded) {
  const last = made.pieces[made.pieces.length - 1];
  if (last && !folded && !last.folded) {
    last.to = to;
    last.width += width;
  } else {
    made.pieces.push({ from, to, at: made.width, width, folded });
  }
  made.width += width;
}

let scale = makeScale(true);

function placeOf(time) {
  const { pieces } = scale;
  const index = Math.max(0, lowerBound(pieces, time, piece => piece.to + 1e-9));
  const piece = pieces[Math.min(index, pieces.length - 1)];
  return piece.at + (time - piece.from) / (piece.to - piece.from) * piece.width;
}

function timeAt(place) {
  const { pieces } = scale;
  const index = lowerBound(pieces, place, piece => piece.at + piece.width);
  const piece = pieces[Math.min(index, pieces.length - 1)];
  return piece.from + (place - piece.at) / piece.width * (piece.to - piece.from);
}

// MARK: Time in words

const isLong = () => finish - start >= 60e6;

/// Returns the time since the beginning as text.
function moment(time, digits = 3) {
  const seconds = Math.abs(time - start) / 1e6;
  const sign = time < start ? '−' : '';
  if (!isLong()) return sign + seconds.toFixed(digits) + ' s';
  const rounded = Number(seconds.toFixed(digits));
  const hours = Math.floor(rounded / 3600);
  const minutes = Math.floor(rounded / 60) % 60;
  const rest = (rounded % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, '0');
  const padded = hours ? `${hours}:${String(minutes).padStart(2, '0')}` : `${minutes}`;
  return `${sign}${padded}:${rest}`;
}

/// Returns a duration as text.
function span(time) {
  const rounded = Math.round(time);
  if (rounded < 1e3) return `${rounded} µs`;
  if (rounded < 1e6) return `${Number((rounded / 1e3).toPrecision(3))} ms`;
  if (rounded < 60e6) return `${Number((rounded / 1e6).toPrecision(3))} s`;
  const seconds = Math.round(rounded / 1e6);
  const [days, hours] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24];
  const minutes = Math.floor(seconds / 60) % 60;
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
}

/// Returns the date and time of day; empty if unknown.
function calendar(time) {
  if (data.start === null) return '';
  const date = new Date((data.start + time) / 1000);
  return date.toISOString().replace('T', ' ').replace('Z', ' UTC');
}

/// Returns a name such as `outOfRange` as words.
const words = name => name.replace(/[A-Z]/g, letter => ' ' + letter.toLowerCase());
const titleOf = event => (event.lane === STATE ? words(event.text) : event.text)
  + (event.count > 1 ? ` ×${event.count}` : '');
