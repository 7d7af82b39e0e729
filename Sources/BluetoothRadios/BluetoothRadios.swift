// SPDX-License-Identifier: Apache-2.0

// Several radios that work as one adapter. Each radio is a controller with its own host, for
// example in another room. `CompositeAdapter` implements `BluetoothPort` on the ports of these
// hosts, which have the same identity address. The application sees one adapter, with one list of
// discoveries and one list of bonds.
//
// `RadioCore` decides through which radio a peer is connected, and when a link moves to another
// radio. It is a value without I/O and clock: each input is a method that returns actions, and the
// adapter performs them. `SignalTable` remembers how well each radio receives each device.
//
// An open LE link cannot move to another controller. To move a link, the adapter ends it. The
// clients then report a lost link, and the next connection request takes the better radio. The peer
// finds the same identity, the same bond and the same database on every radio (`SharedStore`).
