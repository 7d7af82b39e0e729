// SPDX-License-Identifier: Apache-2.0
'use strict';
const element = id => document.getElementById(id);

/// Makes an element with a class and contents. Strings become text, never markup.
function make(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

function button(text, action, className = '') {
  const made = make('button', className, text);
  made.onclick = action;
  return made;
}

/// The time of the page, in seconds.
const seconds = () => performance.now() / 1000;

// MARK: Devices

// The time for which signals are kept, and the maximum numbers of points in a chart's series and
// of devices.
const SIGNAL_SECONDS = 120, POINT_LIMIT = 1200, DEVICE_LIMIT = 1200;

const devices = new Map(), byNumber = new Map();
let selected = null;

const noLink = () => ({ state: 'idle', reason: null });

/// Returns the device with this address, and adds it if it is new. A message about a device may
/// arrive before its first advertisement.
function deviceOf(key) {
  if (!devices.has(key)) {
    devices.set(key, {
      key, name: null, summary: '', connectable: true, rssi: null, reports: 0, seen: 0,
      signal: [], link: noLink(), services: null, series: new Map(),
      subscribed: new Set(), isBusy: false,
    });
  }
  return devices.get(key);
}

const nameOf = device => device.name || device.key.split('/')[0];

function describe(entry) {
  const device = deviceOf(entry.device);
  device.name = entry.name || device.name;
  device.summary = entry.summary;
  device.connectable = entry.connectable;
  byNumber.set(entry.number, device);
  if (devices.size > DEVICE_LIMIT) forgetOldest();
}

function forgetOldest() {
  let oldest = null;
  for (const device of devices.values()) {
    const isUsed = device === selected || device.link.state !== 'idle';
    if (!isUsed && (!oldest || device.seen < oldest.seen)) oldest = device;
  }
  if (!oldest) return;
  devices.delete(oldest.key);
  for (const [number, device] of byNumber) if (device === oldest) byNumber.delete(number);
}

/// Adds a signal strength in dBm. Only the last one of each half second is kept.
function measured(device, rssi) {
  if (rssi === null) return;
  const now = seconds(), last = device.signal[device.signal.length - 1];
  device.rssi = rssi;
  if (last && now - last[0] < .5) { last[1] = rssi; return; }
  device.signal.push([now, rssi]);
  while (device.signal[0][0] < now - SIGNAL_SECONDS) device.signal.shift();
}

function received([number, rssi, reports]) {
  const device = byNumber.get(number);
  if (!device) return;
  device.seen = seconds();
  device.reports = reports;
  measured(device, rssi);
}

function recalled([number, levels]) {
  const device = byNumber.get(number), now = seconds();
  if (!device || device.signal.length) return;
  levels.forEach((level, index) => {
    if (level !== null) device.signal.push([now - levels.length + index, level]);
  });
}

const toneOf = rssi => rssi === null ? 'soft' : rssi > -70 ? 'good' : rssi > -85 ? 'fair' : 'bad';

// MARK: Values

/// Adds the numbers of a value to the charts of its characteristic.
function plotValue(device, handle, numbers) {
  if (!numbers || !numbers.length) return;
  if (!device.series.has(handle)) device.series.set(handle, new Map());
  const series = device.series.get(handle), now = seconds();
  for (const { name, value, unit } of numbers) {
    if (!series.has(name)) series.set(name, { name, unit, points: [] });
    const { points } = series.get(name);
    points.push([now, value]);
    if (points.length > POINT_LIMIT) points.shift();
  }
}

function characteristicOf(device, handle) {
  for (const service of device.services || []) {
    const found = service.characteristics.find(entry => entry.handle === handle);
    if (found) return found;
  }
  return null;
}

function valueArrived(device, report) {
  const characteristic = characteristicOf(device, report.handle);
  if (characteristic) Object.assign(characteristic, report, { error: undefined });
  plotValue(device, report.handle, report.numbers);
  showValue(device, report.handle);
}

// MARK: Commands

/// Sends a command to the program. Returns its result.
async function command(body) {
  const response = await fetch('command', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the program answered ${response.status}`);
  const answer = await response.json();
  if (answer.error) throw new Error(answer.advice ? `${answer.error}; ${answer.advice}`
    : answer.error);
  return answer.result;
}

const ask = (device, ...words) => command({ device: device.key, words });

// MARK: Messages for the person

const TOAST_SECONDS = 8, TOAST_LIMIT = 4;

function say(text, isError = false) {
  const toast = make('div', isError ? 'error' : '', text);
  toast.title = 'Click to dismiss';
  toast.onclick = () => toast.remove();
  const box = element('toasts');
  box.append(toast);
  while (box.children.length > TOAST_LIMIT) box.firstElementChild.remove();
  setTimeout(() => toast.remove(), TOAST_SECONDS * 1000);
}

/// Runs an action of the program, and shows the reason for a failure.
async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    say(error.message.replace(/^./, letter => letter.toUpperCase()), true);
    return undefined;
  }
}
