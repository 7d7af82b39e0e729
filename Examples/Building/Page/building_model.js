// SPDX-License-Identifier: Apache-2.0
const element = id => document.getElementById(id);
const data = JSON.parse(element('data').textContent);
const { devices, rooms, outages } = data;

/// The time that the page shows, in seconds, and the number of the chosen device.
const view = { time: 0, chosen: null };

/// An element with a class and contents. Strings become text, never markup.
function make(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/// An element of SVG with attributes and contents.
function draw(tag, attributes, ...content) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

const clock = seconds => [seconds / 60, seconds % 60]
  .map(part => String(Math.floor(part)).padStart(2, '0')).join(':');

// Neighbors differ much in hue.
const hueOf = gateway => (gateway % 6) * 60 + (gateway < 6 ? 20 : 50);

function setGate(target, gateway) {
  target.classList.toggle('gate', gateway !== null);
  if (gateway !== null) target.style.setProperty('--hue', hueOf(gateway));
  return target;
}

/// The position of a device at a time.
function placeAt(device, time) {
  const { path } = device;
  let next = path.findIndex(point => point[0] > time);
  if (next < 0) next = path.length;
  if (next === 0) return path[0].slice(1);
  const [start, x, y] = path[next - 1];
  if (next === path.length) return [x, y];
  const [end, toX, toY] = path[next], part = (time - start) / (end - start);
  return [x + (toX - x) * part, y + (toY - y) * part];
}

/// The corners of a device's way between two times.
function wayOf(device, from, to) {
  const between = device.path.filter(([time]) => time > from && time < to);
  return [placeAt(device, from), ...between.map(point => point.slice(1)), placeAt(device, to)];
}

/// The gateway of a device's link at a time; null without a link.
function gatewayAt(device, time) {
  const link = device.links.find(
    ([from, to]) => from <= time && (time < to || to >= data.seconds));
  return link ? link[2] : null;
}

const signalAt = (device, time) => device.signals[Math.floor(time / data.sampleInterval)] ?? null;
const outageAt = (gateway, time) => outages.find(
  outage => outage.gateway === gateway && outage.from <= time && time < outage.to);
const longestPause = device =>
  device.pauses.reduce((longest, [from, to]) => Math.max(longest, to - from), 0);
