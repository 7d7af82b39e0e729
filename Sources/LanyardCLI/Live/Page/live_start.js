// SPDX-License-Identifier: Apache-2.0
// MARK: The feed

// The maximum number of timeline updates that are kept until the frame of the timeline is ready.
const WAITING_LIMIT = 5000;
let waiting = [];

function lineTimeline(update) {
  const frame = element('frame').contentWindow;
  // Before the script of the frame has run, `follow` is the button with that id, not the function.
  if (frame && typeof frame.follow === 'function') frame.follow(update);
  else if (waiting.length < WAITING_LIMIT) waiting.push(update);
}
element('frame').addEventListener('load', () => {
  const updates = waiting;
  waiting = [];
  for (const update of updates) lineTimeline(update);
});

const RECEIVERS = {
  link(message) {
    const device = deviceOf(message.device);
    const isLost = message.state === 'lost' && device.link.state !== 'lost';
    const isBack = message.state === 'connected' && device.link.state === 'lost';
    device.link = message;
    if (isLost) say(`${nameOf(device)} was lost: ${message.reason}.`, true);
    if (isBack) say(`${nameOf(device)} is back.`);
    device.subscribed = new Set(message.subscriptions.map(text => Number(text.slice(1))));
    if (message.state === 'connected' && !device.services && !device.isBusy) explore(device);
    if (device === selected) drawDevice();
  },
  value: message => valueArrived(deviceOf(message.device), message.report),
  rssi: message => measured(deviceOf(message.device), message.rssi),
  remark: message => say(message.text),
};

/// Forgets the links that ended while the page was not connected to the program.
function forgetLinks(messages) {
  const open = new Set(messages.map(message => message.device));
  for (const device of devices.values()) {
    if (open.has(device.key)) continue;
    device.link = noLink();
    device.subscribed.clear();
  }
}

function arrived(update) {
  if (update.reset) forgetLinks(update.messages);
  for (const entry of update.devices || []) describe(entry);
  for (const entry of update.levels || []) recalled(entry);
  for (const entry of update.signals || []) received(entry);
  for (const message of update.messages || []) {
    if (Object.hasOwn(RECEIVERS, message.type)) RECEIVERS[message.type](message);
  }
  if (update.reset) drawDevice();
  if (update.world !== undefined) worldArrived(update.world);
  if (update.timeline) lineTimeline({ ...update.timeline, reset: update.reset === true });
  isChanged = true;
}

const feed = new EventSource('events');
feed.onopen = () => { put(element('feed'), 'live'); element('feed').className = 'open'; };
feed.onerror = () => {
  put(element('feed'), feed.readyState === EventSource.CLOSED
    ? 'the program has ended' : 'waiting for the program…');
  element('feed').className = '';
};
feed.onmessage = event => arrived(JSON.parse(event.data));

// MARK: Drawing

let isChanged = true, drawnAt = 0;
const DRAW_SECONDS = .1;

/// Draws the list and the charts ten times a second, and without delay after a change.
function frame() {
  requestAnimationFrame(frame);
  if (document.hidden) return;
  const now = seconds();
  if (!isChanged && now - drawnAt < DRAW_SECONDS) return;
  isChanged = false;
  drawnAt = now;
  sortList();
  drawList();
  drawPlots();
}

// MARK: Parts of the page

const TABS = [['devices', 'Devices'], ['device', 'Device'], ['map', 'Map'],
  ['timeline', 'Timeline']];

function showTabs() {
  const tab = document.body.dataset.tab;
  element('tabs').replaceChildren(...TABS.filter(([name]) => name !== 'map' || world)
    .map(([name, text]) => {
      const made = button(text, () => {
        document.body.dataset.tab = name;
        showTabs();
        repaint();
      });
      made.setAttribute('role', 'tab');
      made.setAttribute('aria-selected', name === tab);
      made.setAttribute('aria-pressed', name === tab);
      return made;
    }));
}

function repaint() {
  readColors();
  isChanged = true;
  if (world) worldArrived(world);
}

element('theme').onclick = () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  const inner = element('frame').contentWindow;
  if (inner && typeof inner.setTheme === 'function') inner.setTheme(root.dataset.theme);
  repaint();
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
new ResizeObserver(repaint).observe(ground);
readColors();
showTabs();
drawDevice();
frame();
