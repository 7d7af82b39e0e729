// SPDX-License-Identifier: Apache-2.0

// A simulated Bluetooth LE radio: controllers that speak HCI, byte for byte, over a radio medium
// that exists only in memory. A host on such a controller observes what it would observe on
// hardware: packets take time, signals fade with distance, advertisements collide, links are lost.
// The simulation is reproducible: the same seed and the same commands lead to the same packets at
// the same nanoseconds on every machine.
//
// **Time and randomness.** A `World` has its own time and its own randomness. Time is an
// `EventTimeline`, a heap of events ordered by instant and, within an instant, by the order of
// scheduling. Time jumps from event to event, so an hour of advertising takes seconds. Each event
// is a `WorldEvent`, and `WorldCore` handles it. Randomness comes from `RandomStream`s. Each use of
// randomness (the shadowing of one pair of radios, the losses of one receiver) has its own named
// stream, derived from the one `WorldSeed`, so an additional device does not change the results of
// the others. This module does not call the platform's mathematical library, because its last
// digits differ from platform to platform. `Reproducible` has the few functions that are needed,
// built from operations that IEEE 754 defines to the last bit.
//
// **The medium.** A packet passes these steps in order. It occupies its channel for its `airTime`,
// which follows from modulation and length to the microsecond (Vol 6, Part B, 2).
// `RadioEnvironment` computes its power at the receiver: the transmit power, less the path loss
// between the two positions at that instant, plus or minus the shadowing of the pair. There is no
// signal across a partition or from a device that is off. `Reception` turns power and length into
// the probability that every bit arrives correctly. `Air` determines which other packets overlap on
// the channel, and whether the stronger signal captures the receiver. Last, the `LossPlan` of a
// test drops packets. The simulation works packet by packet: it has no symbols, no clock drift, no
// antenna patterns, and no interference from adjacent channels.
//
// **Controllers and links.** A `VirtualController` is a value with parts: advertiser, scanner,
// initiator, Filter Accept List, resolving list and keys. Each part has a folder, a list of
// `CommandHandler`s, and methods that receive the `Ether` as `inout`. The `Ether` is everything
// between controllers. A part sends packets, sets timers and notifies its host, but does not reach
// another controller: the world delivers packets. A radio does one thing at a time
// (`RadioSchedule`), so a scanner may miss packets during the connection events of its own links.
// Two controllers share a `RadioLink`, which therefore belongs to the ether. It has a schedule
// (anchors, exchanges, channels) and two `LinkEnd`s. The state of each end follows only from the
// packets that it has received. `LinkProcedures` is the state machine of the Link Layer control
// procedures at one end: its inputs are events, and its outputs are actions.
//
// **Hosts, faults and invariants.** A host is a closure that receives packets from the world, or a
// `ScriptedHost`, a value that the world runs. This module imports no host. Faults apply to the
// wire between host and controller: a `FaultPlan` delays, loses, repeats and corrupts packets, and
// makes a controller hang, restart or fail. The `Invariant`s observe that wire and report each
// violation of a rule that must always hold. Threads, sockets and the system's clock are in the
// module `VirtualAdapters`.

// The interface of a world uses instants and addresses, so `import VirtualRadio` is enough for a
// program that uses a world.
@_exported import BluetoothTypes
