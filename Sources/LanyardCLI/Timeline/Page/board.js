// SPDX-License-Identifier: Apache-2.0
const GUTTER = 176, AXIS = 44, STATE_HEIGHT = 20, ROW_HEIGHT = 16, DEVICE_GAP = 14;
const view = {
  from: 0, to: 1, lanes: new Set([0, 1, 2, 3, 4]), collapsed: new Set(), selected: null,
  hovered: null, mark: null, query: '',
};
const board = element('board'), stage = element('stage');
const context = board.getContext('2d');
let size = { width: 0, height: 0 };

// MARK: Rows

let layout = { rows: [], devices: [], height: 0 };

function arrange() {
  const rows = [], devices = [];
  let y = AXIS + 10;
  data.devices.forEach((name, device) => {
    const lanes = ROW_LANES.filter(
      lane => view.lanes.has(lane) && lanesOf[device][lane].length);
    if (!lanes.length) return;
    const isCollapsed = view.collapsed.has(device);
    const shown = isCollapsed ? lanes.slice(0, 1) : lanes;
    const top = y;
    if (shown[0] !== STATE && !isCollapsed) y += STATE_HEIGHT;
    for (const lane of shown) {
      const height = lane === STATE ? STATE_HEIGHT : ROW_HEIGHT;
      rows.push({ device, lane, y, height, events: lanesOf[device][lane] });
      y += height + 2;
    }
    devices.push({ device, name, top, bottom: y, isCollapsed });
    y += DEVICE_GAP;
  });
  layout = { rows, devices, height: y };
  drawNames();
}

function drawNames() {
  element('space').style.height = `${layout.height}px`;
  element('names').replaceChildren(...layout.devices.map(entry => {
    const button = make('button', '', entry.name);
    button.title = entry.name;
    button.setAttribute('aria-expanded', !entry.isCollapsed);
    button.onclick = () => toggleDevice(entry.device);
    const box = make('div', 'device', button);
    box.style.top = `${entry.top}px`;
    if (!entry.isCollapsed) {
      for (const row of layout.rows) {
        if (row.device !== entry.device || row.lane === STATE) continue;
        const label = make('span', '', LANE_NAMES[row.lane].toLowerCase());
        label.style.top = `${row.y - entry.top}px`;
        box.append(label);
      }
    }
    return box;
  }));
}

function toggleDevice(device) {
  if (!view.collapsed.delete(device)) view.collapsed.add(device);
  arrange();
  redraw();
}

// MARK: Places

const boardWidth = () => Math.max(1, size.width - GUTTER);
const toX = place => GUTTER + (place - view.from) / (view.to - view.from) * boardWidth();
const xOf = time => toX(placeOf(time));
const toPlace = x => view.from + (x - GUTTER) / boardWidth() * (view.to - view.from);

// MARK: Drawing

let isDue = false;
function redraw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; drawBoard(); drawMap(); });
}

function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const drawing = canvas.getContext('2d');
  drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
  return drawing;
}

function drawBoard() {
  size = { width: stage.clientWidth, height: stage.clientHeight };
  board.style.height = `${size.height}px`;
  fitCanvas(board, size.width, size.height);
  context.fillStyle = inks.paper;
  context.fillRect(0, 0, size.width, size.height);
  context.font = '11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
  context.textBaseline = 'middle';
  clipped(GUTTER, 0, boardWidth(), size.height, () => {
    drawChapterBands();
    const isState = row => row.lane === STATE;
    layout.rows.filter(isState).forEach(drawRow);
    drawFolds();
    layout.rows.filter(row => !isState(row)).forEach(drawRow);
    drawRuler();
    drawSelection();
  });
  drawSeparators();
  drawAxis();
}

function clipped(x, y, width, height, body) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  body();
  context.restore();
}

function drawSeparators() {
  context.strokeStyle = inks.faint;
  context.beginPath();
  for (const { bottom } of layout.devices) {
    const y = Math.round(bottom + DEVICE_GAP / 2 - stage.scrollTop) - .5;
    context.moveTo(0, y);
    context.lineTo(size.width, y);
  }
  context.stroke();
}

function drawRow(row) {
  const y = row.y - stage.scrollTop;
  if (y + row.height < AXIS || y > size.height) return;
  if (row.lane === STATE) return drawStates(row, y);
  const [from, to] = [timeAt(view.from), timeAt(view.to)];
  const first = Math.max(0, lowerBound(row.events, from, event => event.time) - 1);
  const last = lowerBound(row.events, to + 1, event => event.time);
  context.fillStyle = inks.faint;
  context.fillRect(GUTTER, y + row.height / 2, boardWidth(), 1);
  if (last - first > boardWidth() / 4) drawDensity(row, y, first, last);
  else drawMarks(row, y, first, last);
}

function drawStates(row, y) {
  const from = timeAt(view.from), to = timeAt(view.to);
  let index = lowerBound(row.events, from, event => event.end);
  while (index < row.events.length && row.events[index].time <= to) {
    const event = row.events[index];
    const x = xOf(event.time);
    drawState(event, Math.max(x, GUTTER - 9), xOf(event.end), y);
    index = nextIndex(row.events, index, timeAt(toPlace(x + 1)));
  }
}

/// Returns the index of the next state to draw. `time` is one pixel after the beginning of the
/// current state. If that state ends before `time`, the later states in the pixel are left out.
const nextIndex = (states, index, time) => states[index].end >= time
  ? index + 1 : Math.max(index + 1, lowerBound(states, time, state => state.end));

function drawState(event, x, end, y) {
  const { fill, edge, text } = stateColors(event.text);
  const width = Math.max(1.5, Math.min(end, size.width + 9) - x);
  context.globalAlpha = event.matches ? 1 : .25;
  context.fillStyle = fill;
  context.fillRect(x, y, width, STATE_HEIGHT);
  context.fillStyle = edge;
  context.fillRect(x, y, Math.min(2.5, width), STATE_HEIGHT);
  context.fillRect(x, y + STATE_HEIGHT - 2, width, 2);
  const left = Math.max(x, GUTTER);
  context.fillStyle = text;
  write(words(event.text), left + 7, y + STATE_HEIGHT / 2, x + width - left - 10);
  if (event === view.selected || event === view.hovered) {
    context.strokeStyle = inks.ink;
    context.lineWidth = 1.5;
    context.strokeRect(x + .75, y + .75, width - 1.5, STATE_HEIGHT - 1.5);
    context.lineWidth = 1;
  }
  context.globalAlpha = 1;
}

/// Writes the text, or as much of its beginning as fits, or nothing if there is little room.
function write(text, x, y, room) {
  if (room < 16) return;
  if (context.measureText(text).width <= room) return context.fillText(text, x, y);
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + '…').width <= room) low = middle;
    else high = middle - 1;
  }
  if (low > 1) context.fillText(text.slice(0, low) + '…', x, y);
}

function drawMarks(row, y, first, last) {
  for (let index = first; index < last; index++) {
    const event = row.events[index];
    const x = xOf(event.time);
    const next = row.events[index + 1];
    const room = (next ? xOf(next.time) : size.width + GUTTER) - x - 12;
    drawMark(event, x, y, Math.min(room, size.width - x));
  }
}

function drawMark(event, x, y, room) {
  const isChosen = event === view.selected || event === view.hovered;
  context.globalAlpha = event.matches ? 1 : .18;
  context.fillStyle = markColor(event);
  if (event.count > 1) {
    context.globalAlpha *= .35;
    context.fillRect(x, y + 5, Math.max(2, xOf(event.end) - x), ROW_HEIGHT - 10);
    context.globalAlpha = event.matches ? 1 : .18;
  }
  const shape = event.lane === PACKET ? (event.sent ? 'sent' : 'received')
    : LANES[event.lane];
  const grown = isChosen ? 1.5 : 1;
  context.save();
  context.translate(x - 5 * grown, y + ROW_HEIGHT / 2 - 5 * grown);
  context.scale(grown, grown);
  context.fill(paths[shape]);
  context.restore();
  context.fillStyle = isChosen ? inks.ink : inks.soft;
  if (x > GUTTER - 6) write(titleOf(event), x + 8, y + ROW_HEIGHT / 2, room);
  context.globalAlpha = 1;
}

/// Draws a bar for every three pixels, whose height shows the number of marks there. Used if the
/// marks are too many to be distinct.
function drawDensity(row, y, first, last) {
  for (let index = first, next = 0; index < last; index = next) {
    const bin = Math.floor(xOf(row.events[index].time) / 3);
    const end = timeAt(toPlace((bin + 1) * 3));
    next = Math.min(last, Math.max(index + 1, lowerBound(row.events, end, event => event.time)));
    let shown = next - 1;
    if (view.query) while (shown > index && !row.events[shown].matches) shown--;
    const event = row.events[shown];
    const height = Math.min(ROW_HEIGHT, 4 + 4 * Math.log2(next - index));
    context.globalAlpha = event.matches ? 1 : .18;
    context.fillStyle = markColor(event);
    context.fillRect(bin * 3, y + (ROW_HEIGHT - height) / 2, 2, height);
  }
  context.globalAlpha = 1;
}

function drawSelection() {
  const event = view.selected;
  if (!event) return;
  const x = Math.round(xOf(event.time)) + .5;
  context.strokeStyle = inks.accent;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, AXIS);
  context.lineTo(x, size.height);
  context.stroke();
  context.setLineDash([]);
}
