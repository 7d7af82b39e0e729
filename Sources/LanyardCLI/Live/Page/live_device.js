// SPDX-License-Identifier: Apache-2.0
// MARK: The chosen device

// The parts of the current display that change with values, by the handle of the characteristic.
let parts = new Map(), signalCanvas = null, drawn = null;

/// Draws the chosen device. If it was drawn before, the focus, the scrolled place, and text that is
/// being typed stay.
function drawDevice() {
  const box = element('device'), focused = document.activeElement;
  const hadFocus = box.contains(focused) && focused !== box;
  const key = hadFocus && keyOf(focused);
  const selection = hadFocus && focused.tagName === 'INPUT' && focused.selectionStart;
  const place = selected === drawn ? box.scrollTop : 0;
  fillDevice(box, selected);
  placePins();
  drawn = selected;
  box.scrollTop = place;
  if (!hadFocus) return;
  const found = [...box.querySelectorAll('button, input')].find(other => keyOf(other) === key)
    || box.querySelector('button');
  if (!found) return;
  found.focus();
  if (found.tagName === 'INPUT') found.setSelectionRange(selection, selection);
}

const keyOf = control => control.getAttribute('aria-label') || control.textContent;

function fillDevice(box, device) {
  parts = new Map();
  signalCanvas = null;
  if (!device) {
    box.replaceChildren(make('p', 'empty', 'Choose a device in the list. Then connect to it to '
      + 'read, write and subscribe to its values. Numbers become charts, and every packet is on '
      + 'the timeline below.'));
    return;
  }
  signalCanvas = make('canvas');
  const plot = make('div', 'plot', signalCanvas);
  plot.title = 'Signal strength in dBm';
  box.replaceChildren(titleOf(device), factsOf(device), plot,
    ...(device.services || []).map(service => drawService(device, service)));
  drawPlots();
}

function titleOf(device) {
  const { state } = device.link;
  const title = make('h2', '', nameOf(device));
  if (state !== 'idle') title.append(make('span', `chip ${state}`, state));
  const acts = make('div', 'acts');
  if (state === 'idle') {
    const made = button('Connect', () => connect(device), 'main');
    made.id = 'connect';
    made.disabled = device.isBusy || !device.connectable;
    acts.append(made);
  } else {
    if (state === 'connected') {
      acts.append(button('Explore again', () => explore(device)),
        button('Pair', () => pair(device)));
    }
    const made = button('Disconnect', () => disconnect(device));
    made.id = 'disconnect';
    acts.append(made);
  }
  return make('div', 'title', title, acts);
}

function factsOf(device) {
  const texts = [device.key, device.summary, device.mtu && `MTU ${device.mtu}`,
    device.link.state === 'lost' ? `lost: ${device.link.reason}; connecting again` : ''];
  return make('div', 'facts', texts.filter(Boolean).join(' · '));
}

function drawService(device, service) {
  const title = make('h3', '', `${service.name || 'Service'} `, make('small', '', service.uuid));
  return make('div', '', title,
    ...service.characteristics.map(entry => drawCharacteristic(device, entry)));
}

function drawCharacteristic(device, entry) {
  const key = make('div', 'key', entry.name || 'Characteristic',
    make('small', '', `${entry.uuid} #${entry.handle}`));
  const value = make('div', 'value');
  const acts = make('div', 'acts');
  const box = make('div', 'characteristic', make('div', 'line', key, value, acts));
  box.dataset.handle = entry.handle;
  const part = { value, box, canvas: null };
  parts.set(entry.handle, part);
  addActs(device, entry, acts);
  if (canWrite(entry)) box.append(writerOf(device, entry));
  box.append(descriptorsOf(entry));
  fillValue(device, entry.handle);
  return box;
}

const CONFIGURATION = '2902';
const can = (entry, name) => entry.properties.includes(name);
const canWrite = entry => can(entry, 'write') || can(entry, 'writeWithoutResponse');

function addActs(device, entry, acts) {
  const isConnected = device.link.state === 'connected';
  const add = (text, action) => {
    const made = button(text, action);
    made.disabled = !isConnected;
    made.setAttribute('aria-label', `${text} ${entry.name || entry.uuid}`);
    acts.append(made);
    return made;
  };
  if (can(entry, 'read')) add('Read', () => read(device, entry));
  if (can(entry, 'notify') || can(entry, 'indicate')) {
    const made = add('Subscribe', () => subscribe(device, entry));
    made.setAttribute('aria-pressed', device.subscribed.has(entry.handle));
  }
}

function writerOf(device, entry) {
  const input = make('input');
  input.type = 'text';
  input.placeholder = '01ff, text:hello, uint16:300' + (entry.text ? ', value:…' : '');
  input.setAttribute('aria-label', `Value for ${entry.name || entry.uuid} #${entry.handle}`);
  input.value = entry.draft || '';
  input.oninput = () => { entry.draft = input.value; };
  const send = button('Write', () => write(device, entry, input));
  send.disabled = device.link.state !== 'connected';
  input.onkeydown = event => { if (event.key === 'Enter' && !send.disabled) send.click(); };
  return make('div', 'writer', input, send);
}

/// Returns a list of the descriptors with the values that the exploration found. The list leaves
/// out the Client Characteristic Configuration, because the button Subscribe shows it.
function descriptorsOf(entry) {
  const list = make('ul', 'descriptors');
  for (const { name, uuid, text, error } of entry.descriptors) {
    if (uuid === CONFIGURATION) continue;
    list.append(make('li', '', `${name || uuid}: ${text ?? error ?? ''}`));
  }
  list.hidden = !list.childElementCount;
  return list;
}

/// Shows the value of a characteristic, if its device is shown.
function showValue(device, handle) {
  if (device === selected) fillValue(device, handle);
}

function fillValue(device, handle) {
  const part = parts.get(handle), entry = characteristicOf(device, handle);
  if (!part || !entry) return;
  put(part.value, entry.error ?? entry.text ?? 'not read');
  part.value.className = entry.error ? 'value error' : entry.text === undefined
    ? 'value none' : 'value';
  part.value.title = entry.value || '';
  const series = device.series.get(handle);
  const isMoving = series && [...series.values()].some(({ points }) => points.length > 1);
  if (!part.canvas && isMoving) {
    part.canvas = make('canvas');
    part.canvas.className = 'chart';
    part.box.append(make('div', 'plot small', part.canvas));
  }
}

/// Draws the charts of the chosen device.
function drawPlots() {
  if (!selected) return;
  if (signalCanvas) {
    drawChart(signalCanvas, [{ name: 'signal', unit: 'dBm', points: selected.signal }],
      [-105, -25], 5);
  }
  for (const [handle, { canvas }] of parts) {
    if (canvas) drawChart(canvas, [...selected.series.get(handle).values()], null, 30);
  }
}

// MARK: Actions on the device

/// Runs an action, and draws the device before and after it.
async function busy(device, action) {
  device.isBusy = true;
  if (device === selected) drawDevice();
  await attempt(action);
  device.isBusy = false;
  if (device === selected) drawDevice();
}

/// Takes the services of a connected device. The message about its link may arrive later.
function explored(device, result) {
  device.link = { ...device.link, state: 'connected', reason: null };
  device.services = result.services;
  device.mtu = result.mtu;
  device.name = result.name || device.name;
  for (const service of result.services) {
    for (const entry of service.characteristics) plotValue(device, entry.handle, entry.numbers);
  }
}

const connect = device => busy(device, async () => {
  explored(device, await ask(device, 'connect'));
});
const explore = device => busy(device, async () => {
  explored(device, await ask(device, 'explore'));
});
const disconnect = device => busy(device, () => ask(device, 'disconnect'));
const pair = device => busy(device, async () => {
  const result = await ask(device, 'pair');
  say(`Paired with ${nameOf(device)}${result.method ? ` by ${result.method}` : ''}.`);
});

const read = (device, entry) => attempt(async () => {
  try {
    valueArrived(device, await ask(device, 'read', `#${entry.handle}`));
  } catch (error) {
    entry.error = error.message;
    showValue(device, entry.handle);
    throw error;
  }
});

const write = (device, entry, input) => attempt(async () => {
  const words = ['write', `#${entry.handle}`, input.value];
  if (input.value.startsWith('value:')) words[1] = entry.uuid;
  if (!can(entry, 'write')) words.push('--without-response');
  const result = await ask(device, ...words);
  say(`Wrote ${result.written} ${result.written === 1 ? 'byte' : 'bytes'} to `
    + `${entry.name || entry.uuid}.`);
  if (can(entry, 'read')) await read(device, entry);
});

const subscribe = (device, entry) => busy(device, async () => {
  const isOn = device.subscribed.has(entry.handle);
  await ask(device, isOn ? 'unsubscribe' : 'subscribe', `#${entry.handle}`);
});
