// SPDX-License-Identifier: Apache-2.0
// MARK: The map

// The distance from the host is drawn on a logarithmic scale, so that a room and a kilometer fit.
const NEAREST = .25, FARTHEST = 2000, RINGS = [1, 3, 10, 30, 100, 300, 1000];
const ground = element('ground'), groundCanvas = ground.firstElementChild;
const pins = new Map();
let world = null, dragged = null;

const radii = () => [ground.clientWidth, ground.clientHeight].map(
  (length, axis) => Math.max(40, length / 2 - [50, 24][axis]));
const share = distance => Math.log(1 + distance / NEAREST) / Math.log(1 + FARTHEST / NEAREST);
const middle = () => [ground.clientWidth / 2, ground.clientHeight / 2];
const center = () => world.controllers.find(entry => entry.number === world.host)
  || { x: 0, y: 0 };

/// Returns the place on the screen for a place in the world, whose coordinates are in meters.
function toScreen(x, y) {
  const { x: cx, y: cy } = center(), [mx, my] = middle(), [rx, ry] = radii();
  const [dx, dy] = [x - cx, y - cy], distance = Math.hypot(dx, dy);
  if (distance === 0) return [mx, my];
  const part = Math.min(1.04, share(distance)) / distance;
  return [mx + dx * part * rx, my - dy * part * ry];
}

function toWorld(left, top) {
  const { x: cx, y: cy } = center(), [mx, my] = middle(), [rx, ry] = radii();
  const [dx, dy] = [(left - mx) / rx, (my - top) / ry], length = Math.hypot(dx, dy);
  if (length === 0) return [cx, cy];
  const distance = NEAREST * (Math.pow(1 + FARTHEST / NEAREST, Math.min(1, length)) - 1);
  return [cx + dx / length * distance, cy + dy / length * distance];
}

function worldArrived(next) {
  const isFirst = !world && next;
  world = next;
  element('map').hidden = !world;
  document.querySelector('main').classList.toggle('mapped', Boolean(world));
  if (isFirst) showTabs();
  if (!world) return;
  const numbers = new Set(world.controllers.map(entry => entry.number));
  for (const [number, pin] of pins) {
    if (!numbers.has(number)) { pin.box.remove(); pins.delete(number); }
  }
  placePins();
  drawGround();
}

function placePins() {
  if (!world) return;
  for (const entry of world.controllers) placePin(entry);
  arrangeLabels();
}

function distanceOf(entry) {
  const { x, y } = center(), meters = Math.hypot(entry.x - x, entry.y - y);
  return meters < 10 ? `${meters.toFixed(1)} m` : `${Math.round(meters)} m`;
}

function placePin(entry) {
  if (!pins.has(entry.number)) pins.set(entry.number, makePin(entry));
  const pin = pins.get(entry.number);
  const isHost = entry.number === world.host;
  const device = deviceNamed(entry.name);
  if (pin === dragged || pin.isSending) Object.assign(entry, pin.place);
  pin.entry = entry;
  put(pin.name, entry.name);
  put(pin.more, isHost ? 'this adapter' : !entry.on ? 'off'
    : `${distanceOf(entry)} · ${entry.power === null ? 'no signal' : `${entry.power} dBm`}`);
  pin.box.className = ['pin', isHost && 'host', pin === dragged && 'dragging',
    device && device === selected && 'chosen'].filter(Boolean).join(' ');
  pin.box.style.setProperty('--tone', `var(--${entry.on ? toneOf(entry.power) : 'line'})`);
  pin.at = toScreen(entry.x, entry.y);
  pin.box.style.left = `${pin.at[0]}px`;
  pin.box.style.top = `${pin.at[1]}px`;
}

// MARK: Labels

const SIDES = ['below', 'right', 'above', 'left'], PIN_RADIUS = 9, LABEL_HEIGHT = 14;

/// Puts the label of each pin on a side where it hides no pin and no other label. If there is no
/// such side, the label is hidden until the pin is used.
function arrangeLabels() {
  const drawing = groundCanvas.getContext('2d');
  drawing.font = FONT;
  const all = [...pins.values()], isChosen = pin => pin.box.classList.contains('chosen');
  const taken = all.map(({ at: [x, y] }) =>
    [x - PIN_RADIUS, y - PIN_RADIUS, x + PIN_RADIUS, y + PIN_RADIUS]);
  for (const pin of all.sort((a, b) => isChosen(b) - isChosen(a))) {
    if (pin.entry.number === world.host) continue;
    const width = drawing.measureText(pin.entry.name).width + 8;
    const height = isChosen(pin) ? 2 * LABEL_HEIGHT : LABEL_HEIGHT;
    // The current side comes first, so that labels do not jump.
    pin.side = [pin.side, ...SIDES].find(side => {
      const label = side && labelBox(pin.at, side, width, height);
      return label && isOnGround(label) && !taken.some(box => overlap(box, label));
    });
    pin.box.dataset.side = pin.side || 'none';
    if (pin.side) taken.push(labelBox(pin.at, pin.side, width, height));
  }
}

function labelBox([x, y], side, width, height) {
  const [left, top] = {
    below: [x - width / 2, y + PIN_RADIUS], above: [x - width / 2, y - PIN_RADIUS - height],
    right: [x + PIN_RADIUS, y - height / 2], left: [x - PIN_RADIUS - width, y - height / 2],
  }[side];
  return [left, top, left + width, top + height];
}

const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
const isOnGround = ([left, top, right, bottom]) => left >= 0 && top >= 0
  && right <= ground.clientWidth && bottom <= ground.clientHeight;

/// Returns the device of the list with the name of a pin; null if there is none, as for a beacon
/// that advertises no name.
function deviceNamed(name) {
  for (const device of devices.values()) if (device.name === name) return device;
  return null;
}

function drawGround() {
  const place = drawingOf(groundCanvas);
  if (!place || !world) return;
  const { drawing } = place, [mx, my] = middle(), [rx, ry] = radii();
  drawing.font = FONT;
  drawing.textAlign = 'center';
  drawing.textBaseline = 'bottom';
  for (const meters of RINGS) {
    const part = share(meters);
    drawing.strokeStyle = inks.line;
    drawing.beginPath();
    drawing.ellipse(mx, my, part * rx, part * ry, 0, 0, 7);
    drawing.stroke();
    drawing.fillStyle = inks.soft;
    drawing.fillText(meters < 1000 ? `${meters} m` : '1 km', mx, my - part * ry - 1);
  }
  for (const link of world.links) drawLink(drawing, ...link);
}

function drawLink(drawing, central, peripheral, rssi) {
  const ends = [central, peripheral].map(
    number => world.controllers.find(entry => entry.number === number));
  if (!ends[0] || !ends[1]) return;
  drawing.strokeStyle = inks[toneOf(rssi)];
  drawing.lineWidth = 2.5;
  drawing.beginPath();
  drawing.moveTo(...toScreen(ends[0].x, ends[0].y));
  drawing.lineTo(...toScreen(ends[1].x, ends[1].y));
  drawing.stroke();
  drawing.lineWidth = 1;
}

// MARK: Moving

const MOVE_MILLISECONDS = 100;

/// Sends the place of a pin until its last place was sent, at most ten times a second. Each command
/// waits for the answer to the previous command, so that the last place counts.
async function sendPlace(pin) {
  pin.isDue = true;
  if (pin.isSending) return;
  pin.isSending = true;
  while (pin.isDue) {
    pin.isDue = false;
    const { x, y } = pin.place;
    await Promise.all([
      attempt(() => command({ move: pin.entry.number, x, y })),
      new Promise(done => setTimeout(done, MOVE_MILLISECONDS)),
    ]);
  }
  pin.isSending = false;
}

function movePin(pin, [x, y]) {
  pin.place = { x: Math.round(x * 100) / 100, y: Math.round(y * 100) / 100 };
  Object.assign(pin.entry, pin.place);
  placePin(pin.entry);
  arrangeLabels();
  drawGround();
  sendPlace(pin);
}

function makePin(entry) {
  const pin = { box: make('button', 'pin'), name: make('span'), more: make('small'), entry };
  pin.box.append(make('i'), make('div', '', pin.name, pin.more));
  pin.box.dataset.number = entry.number;
  ground.append(pin.box);
  if (entry.number !== world.host) addMoves(pin);
  return pin;
}

function addMoves(pin) {
  const { box } = pin;
  box.title = 'Drag to move. Space switches the device on or off.';
  box.onpointerdown = event => {
    box.setPointerCapture(event.pointerId);
    dragged = pin;
    pin.place = { x: pin.entry.x, y: pin.entry.y };
    // A person may drag the label.
    pin.grip = [pin.at[0] - event.clientX, pin.at[1] - event.clientY];
  };
  box.onpointermove = event => {
    if (dragged !== pin) return;
    const [x, y] = pin.grip;
    movePin(pin, toWorld(event.clientX + x, event.clientY + y));
  };
  box.onpointerup = box.onpointercancel = () => { dragged = null; placePin(pin.entry); };
  box.onclick = () => {
    const device = deviceNamed(pin.entry.name);
    if (device && matchMedia('(min-width: 1001px)').matches) select(device);
  };
  box.onkeydown = event => keyOnPin(pin, event);
}

function keyOnPin(pin, event) {
  const steps = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
  if (event.key === ' ') {
    event.preventDefault();
    attempt(() => command({ power: pin.entry.number, on: !pin.entry.on }));
  } else if (Object.hasOwn(steps, event.key)) {
    event.preventDefault();
    const [left, top] = toScreen(pin.entry.x, pin.entry.y), [dx, dy] = steps[event.key];
    movePin(pin, toWorld(left + dx, top + dy));
  }
}
