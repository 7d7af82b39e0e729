// SPDX-License-Identifier: Apache-2.0
// MARK: The bytes of a packet

const CHANNELS = { 4: 'ATT', 5: 'Signaling', 6: 'Security Manager' };
const BOUNDARIES = ['first', 'continuing', 'first', 'complete'];
// The ATT PDUs that begin with the handle of an attribute (Vol 3, Part F, 3.4).
const WITH_HANDLE = new Set([0x0A, 0x0C, 0x12, 0x16, 0x17, 0x1B, 0x1D, 0x52, 0xD2]);

const hex = (number, digits) => '0x' + number.toString(16).toUpperCase().padStart(digits, '0');

/// Returns the layers of an H4 packet (Vol 4, Part A, 2), each with its fields. A field has a name,
/// a value and the range of its bytes. A field that is not complete is left out.
function layersOf(bytes) {
  const layers = [];
  const layer = name => { layers.push({ name, fields: [] }); };
  const field = (name, from, length, show) => {
    const to = Math.min(from + length, bytes.length);
    if (to <= from || (show && to < from + length)) return 0;
    let number = 0;
    for (let index = to - 1; show && index >= from; index--) number = number * 256 + bytes[index];
    const value = show ? show(number) : `${to - from} ${to - from === 1 ? 'byte' : 'bytes'}`;
    layers[layers.length - 1].fields.push({ name, value, from, to });
    return number;
  };
  layer(['', 'HCI command', 'HCI ACL data', 'HCI synchronous data', 'HCI event',
    'HCI isochronous data'][bytes[0]] || 'HCI');
  field('Type', 0, 1, number => hex(number, 2));
  if (bytes[0] === 1) readCommand(field);
  else if (bytes[0] === 2) readData(field, layer, bytes);
  else if (bytes[0] === 4) readEvent(field, bytes);
  else field('Data', 1, Infinity);
  return layers;
}

function readCommand(field) {
  field('Opcode', 1, 2, number => `${hex(number, 4)}, group ${number >> 10}`);
  field('Length', 3, 1, String);
  field('Parameters', 4, Infinity);
}

function readEvent(field, bytes) {
  field('Event', 1, 1, number => hex(number, 2));
  field('Length', 2, 1, String);
  const isLE = bytes[1] === 0x3E;
  if (isLE) field('Subevent', 3, 1, number => hex(number, 2));
  field('Parameters', isLE ? 4 : 3, Infinity);
}

function readData(field, layer, bytes) {
  const handle = field('Handle', 1, 2, number => {
    const boundary = BOUNDARIES[number >> 12 & 3];
    return `${hex(number & 0xFFF, 4)}, ${boundary}`;
  });
  field('Length', 3, 2, String);
  if ((handle >> 12 & 3) === 1) { field('Rest of the PDU', 5, Infinity); return; }
  layer('L2CAP');
  field('Length', 5, 2, String);
  const channel = field('Channel', 7, 2, number =>
    CHANNELS[number] ? `${hex(number, 4)}, ${CHANNELS[number]}` : hex(number, 4));
  if (!CHANNELS[channel]) { field('Data', 9, Infinity); return; }
  layer(CHANNELS[channel]);
  field(channel === 4 ? 'Opcode' : 'Code', 9, 1, number => hex(number, 2));
  let at = 10;
  if (channel === 4 && WITH_HANDLE.has(bytes[9])) {
    field('Attribute', at, 2, number => `#${number}`);
    at += 2;
  }
  field(channel === 4 ? 'Parameters' : 'Data', at, Infinity);
}

/// Returns the bytes in rows of eight, and a tree of their fields. Pointing at a field marks its
/// bytes.
function bytesOf(event) {
  const bytes = (event.bytes.match(/../g) || []).map(pair => parseInt(pair, 16));
  const cells = bytes.map(byte => make('span', '', hex(byte, 2).slice(2)));
  const dump = make('code', 'bytes', ...cells);
  const tree = make('ul', 'fields');
  for (const { name, fields } of layersOf(bytes)) {
    const list = make('ul');
    for (const entry of fields) list.append(fieldOf(entry, cells));
    tree.append(make('li', '', make('b', '', name), list));
  }
  return make('div', '', make('h3', '', 'Bytes'), dump, make('h3', '', 'Fields'), tree);
}

function fieldOf({ name, value, from, to }, cells) {
  const made = make('li', '', `${name}: ${value}`);
  made.tabIndex = 0;
  const mark = isMarked => {
    cells.slice(from, to).forEach(cell => cell.classList.toggle('marked', isMarked));
  };
  made.onpointerenter = made.onfocus = () => mark(true);
  made.onpointerleave = made.onblur = () => mark(false);
  return made;
}

// MARK: Request and answer

// The maximum number of packets of a row in which an answer is searched.
const ANSWER_LIMIT = 2000;

const isRequest = event => event.layer === 'att'
  ? /^ATT_\w+_(REQ|IND)\b/.test(event.text)
  : event.layer === 'hci' && event.bytes.startsWith('01');

/// Returns the opcode of a command, or of the command that an event answers; empty for other
/// packets.
function opcodeOf({ bytes }) {
  if (bytes.startsWith('01')) return bytes.slice(2, 6);
  if (bytes.startsWith('040e')) return bytes.slice(8, 12);
  if (bytes.startsWith('040f')) return bytes.slice(10, 14);
  return '';
}

function isAnswer(answer, request) {
  const isOpposite = Boolean(answer.sent) !== Boolean(request.sent);
  if (answer.layer !== request.layer || !isOpposite) return false;
  if (request.layer === 'hci') return opcodeOf(answer) === opcodeOf(request);
  const [name] = request.text.split(' ', 1);
  const expected = name.replace(/_REQ$/, '_RSP').replace(/_IND$/, '_CFM');
  return answer.detail === request.detail && (answer.text.split(' ', 1)[0] === expected
    || (answer.text.startsWith('ATT_ERROR_RSP') && answer.text.split(' ').includes(name)));
}

/// Returns the request or the answer that belongs to a packet; null if there is none.
function partnerOf(event) {
  if (event.lane !== PACKET) return null;
  const row = lanesOf[event.device][PACKET];
  const at = lowerBound(row, event.index, packet => packet.index);
  if (isRequest(event)) {
    return row.slice(at + 1, at + ANSWER_LIMIT).find(packet => isAnswer(packet, event)) || null;
  }
  for (let index = at - 1; index >= Math.max(0, at - ANSWER_LIMIT); index--) {
    if (isRequest(row[index]) && isAnswer(event, row[index])) return row[index];
  }
  return null;
}

/// Returns the lines of the details about the request or the answer, and about the mark.
function relations(event) {
  const rows = [], partner = partnerOf(event);
  const link = other => {
    const made = make('button', 'link', titleOf(other));
    made.onclick = () => select(other, { moves: true, scrolls: true });
    return made;
  };
  if (partner) {
    const gap = span(Math.abs(partner.time - event.time));
    rows.push(isRequest(event) ? [`Answer, ${gap} later`, link(partner)]
      : [`Request, ${gap} before`, link(partner)]);
  }
  if (view.mark && view.mark !== event) {
    const gap = event.time - view.mark.time;
    rows.push([`${span(Math.abs(gap))} ${gap < 0 ? 'before' : 'after'} the mark`, link(view.mark)]);
  }
  return rows;
}

// MARK: The ruler

/// Marks the selected event, or removes the mark from it. The ruler is between mark and selection.
function toggleMark() {
  if (!view.selected) return;
  view.mark = view.mark === view.selected ? null : view.selected;
  drawDetail();
  redraw();
}

function drawRuler() {
  const { mark, selected } = view;
  if (!mark) return;
  const x = Math.round(xOf(mark.time)) + .5;
  context.strokeStyle = inks.note;
  context.setLineDash([6, 3]);
  context.beginPath();
  context.moveTo(x, AXIS);
  context.lineTo(x, size.height);
  context.stroke();
  context.setLineDash([]);
  if (!selected || selected === mark) return;
  const [left, right] = [mark, selected].map(event => xOf(event.time)).sort((a, b) => a - b);
  context.globalAlpha = .12;
  context.fillStyle = inks.note;
  context.fillRect(left, AXIS, right - left, size.height);
  context.globalAlpha = 1;
  const text = span(Math.abs(selected.time - mark.time));
  const width = context.measureText(text).width + 10;
  const middle = Math.max(GUTTER + width / 2, Math.min(size.width - width / 2, (left + right) / 2));
  context.fillStyle = inks.note;
  context.fillRect(middle - width / 2, size.height - 22, width, 16);
  context.fillStyle = inks.paper;
  context.fillText(text, middle - width / 2 + 5, size.height - 14);
}
