// SPDX-License-Identifier: Apache-2.0
// MARK: The lanes

const lanes = element('lanes');
const LABEL = 74, RIGHT = 24, TOP = 20, WALKER = 22, SENSOR = 13, AXIS = 22;
const laneOf = [];
let cursor = null, timeScale = 1;

const toLeft = time => LABEL + time * timeScale;

function drawLanes() {
  const width = Math.max(320, lanes.clientWidth);
  timeScale = (width - LABEL - RIGHT) / data.seconds;
  let top = TOP;
  lanes.replaceChildren();
  devices.forEach((device, number) => {
    laneOf[number] = { top, height: device.walks ? WALKER : SENSOR };
    top += laneOf[number].height;
  });
  const height = top + AXIS;
  lanes.setAttribute('viewBox', `0 0 ${width} ${height}`);
  lanes.setAttribute('height', height);
  drawAxis(top);
  devices.forEach(drawLane);
  outages.forEach(outage => drawOutage(outage, top));
  cursor = draw('line', { class: 'cursor', y1: TOP - 6, y2: top });
  lanes.append(cursor);
  showLanes();
}

function drawAxis(bottom) {
  const minutes = data.seconds / 60;
  const step = [1, 2, 5, 10, 30, 60, 120, 240].find(step => step * 60 * timeScale >= 52) ?? 480;
  for (let minute = 0; minute <= minutes; minute += step) {
    const x = toLeft(60 * minute);
    lanes.append(draw('line', { class: 'tick', x1: x, x2: x, y1: TOP, y2: bottom + 4 }),
      draw('text', { class: 'tickName', x, y: bottom + 16 }, `${minute} min`));
  }
}

function drawLane(device, number) {
  const { top, height } = laneOf[number], middle = top + height / 2, inset = device.walks ? 2 : 1;
  const name = draw('text', { class: 'name', x: LABEL - 8, y: middle }, device.name);
  name.classList.toggle('sensor', !device.walks);
  name.addEventListener('click', event => { event.stopPropagation(); choose(number); });
  laneOf[number].name = name;
  lanes.append(name);
  for (const [from, to, gateway] of device.links) {
    const [left, width] = [toLeft(from), Math.max(1, (to - from) * timeScale)];
    const title = `${device.name} at ${rooms[gateway].name}, ${clock(from)} to ${clock(to)}`;
    lanes.append(setGate(draw('rect', { class: 'stay', x: left, y: top + inset, width, rx: 2,
      height: height - 2 * inset }, draw('title', {}, title)), gateway));
    if (width < 20 || !device.walks) continue;
    lanes.append(draw('text', { class: 'stayName', x: left + width / 2, y: middle },
      rooms[gateway].name));
  }
  for (const [from, to] of device.pauses) {
    const title = `no values for ${(to - from).toFixed(1)} s at ${clock(from)}`;
    lanes.append(draw('rect', { class: 'pause', x: toLeft(from), y: top + height - inset - 3,
      width: Math.max(1.5, (to - from) * timeScale), height: 3 }, draw('title', {}, title)));
  }
}

function drawOutage(outage, bottom) {
  const left = toLeft(outage.from), to = Math.min(outage.to, data.seconds);
  lanes.append(draw('rect', { class: 'outage', x: left, y: TOP, height: bottom - TOP,
    width: (to - outage.from) * timeScale }),
  draw('text', { class: 'outageName', x: left, y: TOP - 8 },
    `${rooms[outage.gateway].name}: ${outage.kind}`));
}

function showLanes() {
  const x = toLeft(view.time);
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
  laneOf.forEach((lane, number) => lane.name.classList.toggle('chosen', number === view.chosen));
}

function seekOnLanes(event) {
  const { left, width } = lanes.getBoundingClientRect();
  const x = (event.clientX - left) / width * Math.max(320, lanes.clientWidth);
  if (x >= LABEL) seek((x - LABEL) / timeScale);
}

lanes.addEventListener('pointerdown', event => {
  lanes.setPointerCapture(event.pointerId);
  seekOnLanes(event);
});
lanes.addEventListener('pointermove', event => { if (event.buttons) seekOnLanes(event); });
