// SPDX-License-Identifier: Apache-2.0
// MARK: The list

const rowsOf = devices.map((device, number) => {
  const cells = { gateway: make('span', 'swatch'), signal: make('td'), row: make('tr') };
  const pause = longestPause(device);
  cells.row.append(make('td', '', device.name), make('td', '', cells.gateway), cells.signal,
    make('td', '', `${device.changes}`), make('td', '', pause ? `${pause.toFixed(1)} s` : '–'));
  cells.row.addEventListener('click', () => choose(number));
  element('rows').append(cells.row);
  return cells;
});

function showList() {
  devices.forEach((device, number) => {
    const { gateway, signal, row } = rowsOf[number], found = gatewayAt(device, view.time);
    setGate(gateway, found);
    gateway.textContent = found === null ? 'none' : rooms[found].name;
    gateway.classList.toggle('none', found === null);
    signal.textContent = found === null ? '' : signalAt(device, view.time) ?? '';
    row.setAttribute('aria-selected', number === view.chosen);
  });
}

function choose(number) {
  view.chosen = view.chosen === number ? null : number;
  show();
}

// MARK: Time

const NEWS_SECONDS = 12;
let playing = null;

function seek(time) {
  view.time = Math.min(Math.max(time, 0), data.seconds);
  show();
}

function show() {
  element('clock').textContent = clock(view.time);
  element('time').value = view.time;
  const news = data.lines.filter(([time]) => time <= view.time && view.time - time < NEWS_SECONDS);
  element('news').textContent = news.length ? news[news.length - 1][1] : '';
  showPlan();
  showList();
  if (cursor) showLanes();
}

function play(isOn) {
  playing = isOn ? { at: performance.now(), time: view.time } : null;
  element('play').textContent = isOn ? '❚❚' : '▶';
  element('play').setAttribute('aria-label', isOn ? 'Pause' : 'Play');
  if (isOn) requestAnimationFrame(playOn);
}

function playOn(now) {
  if (!playing) return;
  const speed = Number(element('speed').value);
  seek(view.time + Math.max(0, now - playing.at) / 1000 * speed);
  playing.at = now;
  if (view.time >= data.seconds) play(false);
  else requestAnimationFrame(playOn);
}

element('play').addEventListener('click', () => {
  if (!playing && view.time >= data.seconds) view.time = 0;
  play(!playing);
});
element('time').addEventListener('input', event => {
  play(false);
  seek(Number(event.target.value));
});

// MARK: The page

element('theme').addEventListener('click', () => {
  const root = document.documentElement, chosen = root.dataset.theme;
  const isDark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
});

function addLegend() {
  const icon = shape => draw('svg', { viewBox: '-9 -6 18 12', 'aria-hidden': true }, shape);
  const scaled = shape => draw('g', { transform: 'scale(2.6)' }, shape);
  const gate = shape => setGate(shape, 3);
  const entries = [
    [gate(draw('rect', { class: 'box', x: -7, y: -5, width: 14, height: 10, rx: 2 })), 'gateway'],
    [scaled(draw('circle', { class: 'body', r: 1.5 })), 'badge of a person'],
    [draw('g', { class: 'sensor' }, scaled(draw('path', { class: 'body',
      d: 'M0-1.4L1.4 0 0 1.4-1.4 0z' }))), 'sensor'],
    [gate(draw('line', { class: 'link', x1: -8, x2: 8, style: 'stroke-width: 2.5' })),
      'link, in the color of its gateway'],
    [draw('g', { class: 'unlinked' }, scaled(draw('circle', { class: 'body', r: 1.4 }))),
      'no link'],
    [draw('rect', { class: 'pause', x: -8, y: -1.5, width: 16, height: 3 }), 'no values'],
  ];
  for (const [shape, text] of entries) {
    element('legend').append(make('span', '', icon(shape), text));
  }
}

function begin() {
  const people = devices.filter(device => device.walks).length;
  element('subtitle').textContent = `${people} people with bonded badges, `
    + `${devices.length - people} sensors, ${rooms.length} gateways, `
    + `${clock(data.seconds)} minutes, seed ${data.seed}. `
    + 'The radio has no walls: a signal depends on the distance.';
  for (const { claim, figure, kept } of data.checks) {
    const item = make('li', kept ? '' : 'beyond', claim, make('small', '', figure));
    element('checks').append(item);
  }
  element('time').max = data.seconds;
  addLegend();
  drawPlan();
  new ResizeObserver(drawLanes).observe(element('history'));
  choose(0);
}

begin();
