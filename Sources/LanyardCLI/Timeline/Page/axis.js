// SPDX-License-Identifier: Apache-2.0
const STEPS = [];
for (let power = 1; power <= 1e7; power *= 10) {
  STEPS.push(power, 2 * power, 5 * power);
}
for (const seconds of [15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400]) {
  STEPS.push(seconds * 1e6);
}
STEPS.sort((a, b) => a - b);

// MARK: Axis

function drawAxis() {
  context.fillStyle = inks.panel;
  context.fillRect(0, 0, size.width, AXIS);
  context.fillStyle = inks.line;
  context.fillRect(0, AXIS - 1, size.width, 1);
  clipped(GUTTER, 0, boardWidth(), size.height, () => { drawChapterTitles(); drawTicks(); });
  context.fillStyle = inks.soft;
  const shown = timeAt(view.to) - timeAt(view.from);
  context.fillText(`${span(shown)} in view`, 10, AXIS - 12);
}

function drawTicks() {
  const perPixel = (view.to - view.from) / boardWidth();
  const step = STEPS.find(step => step / perPixel >= 84) || STEPS[STEPS.length - 1];
  const digits = step >= 1e6 ? 0 : step >= 1e5 ? 1 : step >= 1e4 ? 2 : step >= 1e3 ? 3 : 6;
  let free = GUTTER;
  for (const piece of scale.pieces) {
    if (piece.at + piece.width < view.from || piece.at > view.to) continue;
    if (piece.folded) { free = Math.max(free, drawFoldLabel(piece, free)); continue; }
    const visible = Math.max(piece.from, timeAt(Math.max(view.from, piece.at)));
    const last = Math.min(piece.to, timeAt(Math.min(view.to, piece.at + piece.width)));
    // If all idle time is folded, there may be no round time in view, so any time gets a tick.
    if (xOf(visible) > free + 120) free = drawTick(visible, digits, free);
    let time = start + Math.ceil((visible - start) / step) * step;
    for (; time <= last; time += step) free = drawTick(time, digits, free);
  }
}

/// Draws a tick, and its label if there is room from `free` on. Returns the end of the label.
function drawTick(time, digits, free) {
  const x = Math.round(xOf(time)) + .5;
  context.fillStyle = inks.line;
  context.fillRect(x, AXIS - 6, 1, 5);
  const text = moment(time, digits);
  const end = x + 3 + context.measureText(text).width;
  if (x < free || end > size.width - 4) return free;
  context.fillStyle = inks.soft;
  context.fillText(text, x + 3, AXIS - 12);
  return end + 12;
}

// MARK: Folded time

function drawFoldLabel(piece, free) {
  const x = toX(piece.at), width = toX(piece.at + piece.width) - x;
  const text = span(piece.to - piece.from);
  const needed = context.measureText(text).width;
  if (needed > width + 4 || x + (width - needed) / 2 < free) return 0;
  context.fillStyle = inks.soft;
  context.font = 'italic ' + context.font;
  context.fillText(text, x + (width - needed) / 2, AXIS - 12);
  context.font = context.font.replace('italic ', '');
  return x + width;
}

function drawFolds() {
  for (const piece of scale.pieces) {
    if (!piece.folded || piece.at + piece.width < view.from || piece.at > view.to) continue;
    const x = toX(piece.at), width = toX(piece.at + piece.width) - x;
    // A narrower hatch would look like a solid area.
    if (width < 6) continue;
    clipped(Math.max(GUTTER, x), AXIS, Math.min(width, size.width), size.height, () => {
      context.globalAlpha = .45;
      context.fillStyle = inks.raised;
      context.fillRect(x, AXIS, width, size.height);
      context.globalAlpha = .8;
      context.strokeStyle = inks.line;
      context.beginPath();
      const left = Math.max(x, 0) - size.height, right = Math.min(x + width, size.width);
      for (let line = Math.floor(left / 8) * 8; line < right; line += 8) {
        context.moveTo(line, size.height);
        context.lineTo(line + size.height, 0);
      }
      context.stroke();
      context.globalAlpha = 1;
    });
  }
}

// MARK: Chapters

const chapterEnd = index => index + 1 < data.chapters.length
  ? data.chapters[index + 1].time : finish;

const chapterWidth = index => data.chapters[index]
  ? placeOf(chapterEnd(index)) - placeOf(data.chapters[index].time) : 0;

function drawChapterBands() {
  data.chapters.forEach((chapter, index) => {
    const x = xOf(chapter.time), end = xOf(chapterEnd(index));
    if (end < GUTTER || x > size.width) return;
    context.fillStyle = inks.line;
    context.fillRect(Math.round(x), AXIS, 1, size.height);
  });
}

function drawChapterTitles() {
  context.save();
  data.chapters.forEach((chapter, index) => {
    const x = xOf(chapter.time), end = xOf(chapterEnd(index));
    if (end < GUTTER || x > size.width) return;
    const left = Math.max(x, GUTTER);
    context.fillStyle = index % 2 ? inks.faint : inks.raised;
    context.fillRect(left, 0, end - left, 22);
    context.fillStyle = inks.line;
    context.fillRect(Math.round(x), 0, 1, AXIS);
    context.fillStyle = inks.ink;
    const room = Math.min(end, size.width) - left - 12;
    if (room >= 40) write(`${index + 1}  ${chapter.title}`, left + 7, 11, room);
    else if (room > 0) context.fillText(`${index + 1}`, left + 7, 11);
  });
  context.restore();
}

function showChapter(index) {
  const chapter = data.chapters[index];
  if (!chapter) return;
  const from = placeOf(chapter.time), to = placeOf(chapterEnd(index));
  const margin = (to - from) * .03;
  show(from - margin, to + margin);
  stage.scrollTop = 0;
  rowsBox.scrollTop = lowerBound(listed, chapter.time, event => event.time) * LINE;
}

function currentChapter() {
  const time = timeAt((view.from + view.to) / 2);
  return lowerBound(data.chapters, time + 1, chapter => chapter.time) - 1;
}

// MARK: Map

const map = element('map').firstElementChild;

function drawMap() {
  const width = map.clientWidth, height = map.clientHeight;
  const drawing = fitCanvas(map, width, height);
  drawing.fillStyle = inks.panel;
  drawing.fillRect(0, 0, width, height);
  const x = place => GUTTER
    + Math.max(0, Math.min(1, place / scale.width)) * (width - GUTTER - 10);
  const rows = layout.devices.filter(({ device }) => lanesOf[device][STATE].length);
  const step = Math.min(9, (height - 12) / Math.max(1, rows.length));
  rows.forEach(({ device }, index) => {
    const states = lanesOf[device][STATE];
    let next = 0;
    while (next < states.length) {
      const event = states[next];
      const left = x(placeOf(event.time)), right = x(placeOf(event.end));
      drawing.fillStyle = stateColors(event.text).edge;
      drawing.globalAlpha = event.text === 'idle' ? .3 : .85;
      drawing.fillRect(left, 6 + index * step, Math.max(1, right - left),
        Math.max(1, step - 2));
      const pixel = scale.width / (width - GUTTER - 10);
      next = nextIndex(states, next, timeAt(placeOf(event.time) + pixel));
    }
  });
  drawing.globalAlpha = 1;
  drawMapWindow(drawing, x(view.from), x(view.to), width, height);
}

function drawMapWindow(drawing, left, right, width, height) {
  drawing.fillStyle = inks.paper;
  drawing.globalAlpha = .65;
  drawing.fillRect(GUTTER, 0, Math.max(0, left - GUTTER), height);
  drawing.fillRect(right, 0, Math.max(0, width - right), height);
  drawing.globalAlpha = 1;
  drawing.strokeStyle = inks.accent;
  drawing.lineWidth = 1.5;
  drawing.strokeRect(left, 1.5, Math.max(3, right - left), height - 3);
  drawing.fillStyle = inks.soft;
  drawing.font = '11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';
  drawing.textBaseline = 'middle';
  drawing.fillText(`all: ${span(finish - start)}`, 10, height / 2);
}
