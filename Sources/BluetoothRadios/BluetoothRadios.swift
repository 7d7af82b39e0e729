// SPDX-License-Identifier: Apache-2.0

// Several radios as one adapter. `CompositeAdapter` implements the port on ports with one identity,
// each of which has a controller in another place. The application sees one adapter, with one list
// of discoveries and of bonds.
//
// `RadioCore` decides through which radio a peer is connected, and when a link moves to another
// radio. It is a value without I/O and clock: each input is a method that returns actions, and the
// adapter performs them. `SignalTable` remembers how well each radio receives each device.
//
// An LE link cannot move while it is open: the peer's keys and its subscriptions belong to the
// device, but the link belongs to a controller. To move a link, the adapter ends it. The clients
// then report a lost link, and the request for the next one takes the better radio. Peers find the
// same identity, the same bond and the same database on every radio (`SharedStore`).
