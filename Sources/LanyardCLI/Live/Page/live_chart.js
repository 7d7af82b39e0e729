// SPDX-License-Identifier: Apache-2.0
// MARK: Drawing

const HUES = ['accent', 'good', 'fair', 'bad', 'ink'];
const inks = {};
const probe = document.createElement('i');
document.body.append(probe);
probe.hidden = true;

function readColors() {
  for (const name of ['panel', 'line', 'faint', 'soft', ...HUES]) {
    probe.style.color = `var(--${name})`;
    inks[name] = getComputedStyle(probe).color;
  }
}

/// Returns the drawing of a canvas and its size in CSS pixels; null while the canvas is hidden.
function drawingOf(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (!width || !height) return null;
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const drawing = canvas.getContext('2d');
  drawing.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawing.clearRect(0, 0, width, height);
  return { drawing, width, height };
}

/// Draws the line of the signal in a row: from -100 to -30 dBm, over a minute.
function drawSpark(canvas, device) {
  const place = drawingOf(canvas);
  if (!place) return;
  const { drawing, width, height } = place, now = seconds();
  drawing.strokeStyle = inks[toneOf(device.rssi)];
  drawing.lineWidth = 1.5;
  trace(drawing, device.signal, 5,
    time => width - (now - time) / 60 * width,
    rssi => height - 2 - Math.max(0, Math.min(1, (rssi + 100) / 70)) * (height - 4));
}

/// Draws a line through points. More than `gap` seconds without a point interrupt the line.
function trace(drawing, points, gap, x, y) {
  drawing.beginPath();
  let last = -Infinity;
  for (const [time, value] of points) {
    if (time - last > gap) drawing.moveTo(x(time) - 1, y(value));
    drawing.lineTo(x(time), y(value));
    last = time;
  }
  drawing.stroke();
}

// MARK: Charts

const CHART_SECONDS = 60, LEFT = 52, FONT = '11px system-ui, -apple-system, "Segoe UI", sans-serif';

/// Draws series over the last minute, with the range of their values at the left. More than `gap`
/// seconds without a point interrupt a line.
function drawChart(canvas, series, range, gap) {
  const place = drawingOf(canvas);
  if (!place) return;
  const { drawing, width, height } = place, now = seconds();
  const shown = series.map(({ name, unit, points }) => ({
    name, unit, points: points.filter(([time]) => time > now - CHART_SECONDS - gap),
  }));
  const [low, high] = range || rangeOf(shown);
  const x = time => width - 4 - (now - time) / CHART_SECONDS * (width - LEFT - 4);
  const y = value => 8 + (high - value) / (high - low) * (height - 26);
  drawAxes(drawing, { width, height, low, high, x, y, now });
  if (!shown.some(({ points }) => points.length)) {
    drawing.textAlign = 'center';
    drawing.fillText('no value in the last minute', (LEFT + width) / 2, height / 2 - 6);
    drawing.textAlign = 'left';
    return;
  }
  drawing.save();
  drawing.beginPath();
  drawing.rect(LEFT, 0, width - LEFT, height - 12);
  drawing.clip();
  drawing.lineWidth = 1.8;
  shown.forEach(({ points }, index) => {
    drawing.strokeStyle = drawing.fillStyle = inks[HUES[index % HUES.length]];
    trace(drawing, points, gap, x, y);
    const last = points[points.length - 1];
    if (!last) return;
    drawing.beginPath();
    drawing.arc(x(last[0]), y(last[1]), 2.6, 0, 7);
    drawing.fill();
  });
  drawing.restore();
  if (shown.length > 1) drawLegend(drawing, shown);
}

/// Returns the range of the values with a margin, also around a single value. Without values, the
/// range is empty.
function rangeOf(series) {
  const values = series.flatMap(({ points }) => points.map(point => point[1]));
  if (!values.length) return [0, 0];
  const low = Math.min(...values), high = Math.max(...values);
  const margin = (high - low) * .12 || Math.max(1, Math.abs(high) * .05);
  return [low - margin, high + margin];
}

/// Returns round values within a range, at most `most` of them. `most` is at least 2.
function ticks(low, high, most) {
  const power = Math.pow(10, Math.floor(Math.log10((high - low) / 2)));
  const step = [1, 2, 5, 10].map(factor => factor * power)
    .find(step => Math.floor(high / step) - Math.ceil(low / step) < most);
  const found = [];
  for (let value = Math.ceil(low / step); value * step <= high; value++) found.push(value * step);
  return found;
}

const short = value => Math.abs(value) >= 1e6 ? value.toExponential(1)
  : String(Number(value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 1000 ? 1 : 0)));

function drawAxes(drawing, { width, height, low, high, x, y, now }) {
  drawing.font = FONT;
  drawing.textBaseline = 'middle';
  drawing.textAlign = 'right';
  // A label is 11 pixels high.
  const most = Math.max(2, Math.min(4, Math.floor((height - 26) / 16)));
  for (const value of low < high ? ticks(low, high, most) : []) {
    drawing.fillStyle = inks.faint;
    drawing.fillRect(LEFT, Math.round(y(value)), width - LEFT - 4, 1);
    drawing.fillStyle = inks.soft;
    drawing.fillText(short(value), LEFT - 6, y(value));
  }
  for (const age of [60, 45, 30, 15, 0]) {
    drawing.fillStyle = inks.soft;
    drawing.textAlign = age === 0 ? 'right' : age === 60 ? 'left' : 'center';
    drawing.fillText(age ? `−${age} s` : 'now', x(now - age), height - 6);
  }
  drawing.textAlign = 'left';
}

function drawLegend(drawing, series) {
  let left = LEFT + 6;
  series.forEach(({ name, unit }, index) => {
    drawing.fillStyle = inks[HUES[index % HUES.length]];
    const text = [name || 'value', unit && `(${unit})`].filter(Boolean).join(' ');
    drawing.fillText(text, left, 6);
    left += drawing.measureText(text).width + 12;
  });
}
