// SPDX-License-Identifier: Apache-2.0
// MARK: The plan

const [WIDTH, DEPTH] = data.size, [ROOM_WIDTH, ROOM_DEPTH] = data.room;
const MARGIN = 2, TRAIL_SECONDS = 60, DOOR = 2.4, GATEWAY = 2.6;
const plan = element('plan');
const north = y => DEPTH - y;
const points = way => way.map(([x, y]) => `${x.toFixed(2)},${north(y).toFixed(2)}`).join(' ');
const layers = {};
const gatewayMarks = [], deviceMarks = [];

function drawPlan() {
  plan.setAttribute(
    'viewBox', `${-MARGIN} ${-MARGIN} ${WIDTH + 2 * MARGIN} ${DEPTH + 2 * MARGIN}`);
  for (const name of ['rooms', 'ways', 'links', 'gateways', 'devices']) {
    plan.append(layers[name] = draw('g', {}));
  }
  layers.rooms.append(draw('rect', { class: 'corridor', x: 0, y: north(DEPTH - ROOM_DEPTH),
    width: WIDTH, height: DEPTH - 2 * ROOM_DEPTH }));
  rooms.forEach(drawRoom);
  devices.forEach(drawDevice);
}

function drawRoom(room, number) {
  const [doorX, doorY] = room.door, [x, y] = room.middle;
  layers.rooms.append(
    draw('rect', { class: 'room', x: room.x, y: north(room.y + ROOM_DEPTH), width: ROOM_WIDTH,
      height: ROOM_DEPTH }),
    draw('text', { class: 'roomName', x: room.x + 1.4, y: north(room.y + ROOM_DEPTH) + 3.2 },
      `Room ${room.name}`));
  layers.rooms.append(draw('line', { class: 'door', x1: doorX - DOOR / 2, x2: doorX + DOOR / 2,
    y1: north(doorY), y2: north(doorY) }));
  const mark = draw('g', { class: 'gateway' },
    draw('rect', { class: 'box', x: x - GATEWAY, y: north(y) - GATEWAY * .75, rx: .7,
      width: 2 * GATEWAY, height: 1.5 * GATEWAY }),
    draw('text', { x, y: north(y) }, room.name),
    draw('text', { class: 'trouble', x, y: north(y) + 4 }));
  setGate(mark, number);
  gatewayMarks.push(mark);
  layers.gateways.append(mark);
}

function drawDevice(device, number) {
  const name = draw('text', { 'dominant-baseline': 'central' }, device.name);
  const mark = {
    link: draw('line', { class: 'link' }), trail: draw('polyline', { class: 'trail' }),
    body: device.walks ? draw('circle', { class: 'body', r: 1.5 })
      : draw('path', { class: 'body', d: 'M0-1.1L1.1 0 0 1.1-1.1 0z' }),
    name,
  };
  mark.box = draw('g', { class: 'device', tabindex: 0, role: 'button', 'aria-label': device.name },
    mark.body, name);
  mark.line = draw('g', {}, mark.link);
  for (const group of [mark.box, mark.line]) group.classList.toggle('sensor', !device.walks);
  mark.box.addEventListener('click', () => choose(number));
  mark.box.addEventListener('keydown', event => { if (event.key === 'Enter') choose(number); });
  deviceMarks.push(mark);
  if (device.walks) layers.ways.append(mark.trail);
  layers.links.append(mark.line);
  layers.devices.append(mark.box);
}

function showPlan() {
  rooms.forEach((_, gateway) => {
    const outage = outageAt(gateway, view.time), mark = gatewayMarks[gateway];
    mark.classList.toggle('lost', Boolean(outage));
    mark.querySelector('.trouble').textContent = outage ? outage.kind : '';
  });
  devices.forEach(showDevice);
  showWay();
  placeNames();
}

function showDevice(device, number) {
  const mark = deviceMarks[number], [x, y] = placeAt(device, view.time);
  const gateway = gatewayAt(device, view.time);
  mark.at = [x, north(y)];
  mark.body.setAttribute('transform', `translate(${x} ${north(y)})`);
  mark.box.classList.toggle('unlinked', gateway === null);
  mark.box.classList.toggle('chosen', number === view.chosen);
  mark.link.setAttribute('visibility', gateway === null ? 'hidden' : 'visible');
  setGate(mark.line, gateway);
  if (gateway !== null) {
    const [toX, toY] = rooms[gateway].middle;
    for (const [name, value] of Object.entries({ x1: x, y1: north(y), x2: toX, y2: north(toY) })) {
      mark.link.setAttribute(name, value);
    }
  }
  if (!device.walks) return;
  const from = Math.max(0, view.time - TRAIL_SECONDS);
  mark.trail.setAttribute('points', points(wayOf(device, from, view.time)));
}

/// Draws the way of the chosen device until now, in the colors of its gateways.
function showWay() {
  for (const old of layers.ways.querySelectorAll('.way')) old.remove();
  const device = devices[view.chosen];
  if (!device || !device.walks) return;
  let last = 0;
  for (const [from, to, gateway] of [...device.links, [view.time, view.time, null]]) {
    if (last >= view.time) break;
    if (from > last) addWay(device, last, Math.min(from, view.time), null);
    if (to > from && from < view.time) addWay(device, from, Math.min(to, view.time), gateway);
    last = to;
  }
}

function addWay(device, from, to, gateway) {
  const way = draw('polyline', { class: gateway === null ? 'way none' : 'way',
    points: points(wayOf(device, from, to)) });
  layers.ways.append(setGate(way, gateway));
}

// MARK: Names

const SIDES = [[2.4, 0, 'start'], [-2.4, 0, 'end'], [0, -3, 'middle'], [0, 3, 'middle'],
  [2, -2.6, 'start'], [-2, -2.6, 'end'], [2, 2.6, 'start'], [-2, 2.6, 'end']];
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
const around = ([x, y], width, height) => [x - width, y - height, x + width, y + height];

/// Puts each name on a side of its device where it hides nothing, if there is one.
function placeNames() {
  const size = parseFloat(getComputedStyle(plan).fontSize);
  const taken = rooms.map(room =>
    around([room.middle[0], north(room.middle[1])], GATEWAY + .3, GATEWAY));
  taken.push(...deviceMarks.map(mark => around(mark.at, 1.6, 1.6)));
  devices.forEach((device, number) => {
    const mark = deviceMarks[number], width = device.name.length * size * .62;
    if (!device.walks && number !== view.chosen) return placeName(mark, SIDES[0]);
    const boxes = SIDES.map(side => nameBox(mark.at, side, width, size));
    // The present side comes first, so that names do not jump.
    const order = [mark.side ?? 0, ...SIDES.keys()];
    mark.side = order.find(side => isInside(boxes[side])
      && !taken.some(box => overlap(box, boxes[side]))) ?? order[0];
    taken.push(boxes[mark.side]);
    placeName(mark, SIDES[mark.side]);
  });
}

function nameBox([x, y], [dx, dy, anchor], width, height) {
  const left = x + dx - { start: 0, middle: width / 2, end: width }[anchor];
  return [left, y + dy - height / 2, left + width, y + dy + height / 2];
}

const isInside = ([left, top, right, bottom]) =>
  left >= 0 && top >= 0 && right <= WIDTH && bottom <= DEPTH;

function placeName(mark, [dx, dy, anchor]) {
  mark.name.setAttribute('x', mark.at[0] + dx);
  mark.name.setAttribute('y', mark.at[1] + dy);
  mark.name.setAttribute('text-anchor', anchor);
}
