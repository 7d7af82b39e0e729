// SPDX-License-Identifier: Apache-2.0
// Each state has a hue and a chroma. The lightness depends on the theme.
const STATE_HUES = {
  ready: [148, .13], connected: [120, .10], outOfRange: [58, .15],
  scanning: [250, .08], connecting: [228, .11], restoring: [290, .09],
  discoveringServices: [205, .07], discoveringCharacteristics: [192, .07],
  subscribing: [175, .09], disconnecting: [20, .09],
  unauthorized: [25, .16], unsupported: [5, .16],
  poweredOff: [260, .02], waitingForBluetooth: [260, .012], idle: [260, .006],
  notRunning: [260, .002],
};

let isDark = false;
const inks = {};
const probe = document.createElement('i');
document.body.append(probe);
probe.hidden = true;

function readColors() {
  for (const name of ['paper', 'panel', 'raised', 'line', 'faint', 'ink', 'soft', 'accent',
    'mark', 'call', 'callback', 'note', ...LAYERS]) {
    probe.style.color = `var(--${name})`;
    inks[name] = getComputedStyle(probe).color;
  }
  const chosen = document.documentElement.dataset.theme;
  isDark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function stateColors(name) {
  const [hue, chroma] = STATE_HUES[name] || [330, .08];
  return isDark
    ? { fill: `oklch(.40 ${chroma * .75} ${hue})`, edge: `oklch(.72 ${chroma} ${hue})`,
        text: `oklch(.95 ${chroma * .3} ${hue})` }
    : { fill: `oklch(.89 ${chroma * .75} ${hue})`, edge: `oklch(.60 ${chroma * 1.2} ${hue})`,
        text: `oklch(.28 ${chroma * .6} ${hue})` };
}

const markColor = event =>
  inks[event.lane === PACKET ? event.layer : LANES[event.lane]] || inks.soft;

// MARK: Shapes

// The outlines of marks, 10 by 10, for the board and the legend.
const SHAPES = {
  state: 'M1 2h8v6h-8z', call: 'M1 1.5h8l-4 7.5z', callback: 'M1 8.5h8l-4-7.5z',
  note: 'M5 .5l4.5 4.5-4.5 4.5-4.5-4.5z', packet: 'M4 0h2v10h-2z',
  sent: 'M4 0h2v5h-2z', received: 'M4 5h2v5h-2z',
};
const paths = Object.fromEntries(
  Object.entries(SHAPES).map(([name, outline]) => [name, new Path2D(outline)]));

function icon(shape, color) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  for (const [key, value] of Object.entries(
    { width: 10, height: 10, viewBox: '0 0 10 10', 'aria-hidden': true })) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', SHAPES[shape]);
  path.setAttribute('fill', color);
  svg.append(path);
  return svg;
}

/// Makes an element with a class and contents. Strings become text, never markup.
function make(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

// MARK: The guide

function drawGuide() {
  const guide = element('guide');
  guide.replaceChildren();
  if (data.chapters.length) guide.append(make('h3', '', 'Chapters'), chapterList());
  guide.append(make('h3', '', 'States'), stateKey());
  guide.append(make('h3', '', 'Marks'), markKey());
  guide.append(make('h3', '', 'Keys'), keyList());
}

function chapterList() {
  const list = make('ol');
  list.id = 'chapters';
  data.chapters.forEach((chapter, index) => {
    const button = make('button', '', make('i', '', `${index + 1}`), chapter.title);
    button.onclick = () => showChapter(index);
    list.append(make('li', '', button));
  });
  return list;
}

function stateKey() {
  const key = make('div', 'key');
  const used = new Set(
    events.filter(event => event.lane === STATE).map(event => event.text));
  const known = Object.keys(STATE_HUES).filter(name => used.has(name));
  const others = [...used].filter(name => !STATE_HUES[name]);
  for (const name of [...known, ...others]) {
    const { fill, edge } = stateColors(name);
    const swatch = make('b');
    swatch.style.background = fill;
    swatch.style.borderColor = edge;
    key.append(swatch, words(name));
  }
  return key;
}

function markKey() {
  const key = make('div', 'key');
  const add = (shape, ink, text) => key.append(icon(shape, `var(--${ink})`), text);
  add('call', 'call', 'call to the system');
  add('callback', 'callback', 'callback from the system');
  if (lanesOf.some(lanes => lanes[NOTE].length)) add('note', 'note', 'decision, or remark');
  if (!lanesOf.some(lanes => lanes[PACKET].length)) return key;
  add('sent', 'att', 'packet to the controller');
  add('received', 'att', 'packet from the controller');
  const used = new Set(
    events.filter(event => event.lane === PACKET).map(event => event.layer));
  const names = { hci: 'HCI', ll: 'Link Layer', l2cap: 'L2CAP', att: 'Attribute Protocol',
    smp: 'Security Manager' };
  for (const layer of LAYERS.filter(layer => used.has(layer))) {
    add('packet', layer, names[layer]);
  }
  return key;
}

function keyList() {
  const list = make('dl');
  const rows = [
    ['wheel, + −', 'zoom in, out'], ['drag, ← →', 'move in time'],
    ['↑ ↓', 'previous, next event'], ['Enter', 'zoom to the event'],
    ['[ ]', 'previous, next chapter'], ['0', 'show everything'], ['f', 'fold idle time'],
    ['m', 'mark: measure from this event'],
    ['/', 'search'], ['Esc', 'clear the selection'],
  ];
  for (const [key, text] of rows) {
    if (key === '[ ]' && !data.chapters.length) continue;
    list.append(make('dt', '', make('kbd', '', key)), make('dd', '', text));
  }
  return list;
}
