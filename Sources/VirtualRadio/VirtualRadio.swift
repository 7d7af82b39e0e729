// SPDX-License-Identifier: Apache-2.0

// A simulated Bluetooth LE radio: controllers that exchange HCI packets, over a radio medium
// that exists only in memory. A host on a virtual controller observes the effects of a radio:
// packets take time, signals fade with distance, advertisements collide, and links are lost. The
// simulation is reproducible: the same seed and the same commands lead to the same packets at the
// same nanoseconds on every machine.
//
// **Time and randomness.** A `World` has its own time and its own randomness. Time is an
// `EventTimeline`, a heap of events ordered by instant and, within an instant, by the order of
// scheduling. Time jumps from event to event. Each event is a `WorldEvent`, and `WorldCore` handles
// it. Randomness comes from `RandomStream`s. Each use of randomness (the shadowing of one pair of
// radios, the losses of one receiver) has its own named stream, derived from the one `WorldSeed`,
// so an additional device does not change the random numbers of the others. This module does not
// call the platform's mathematical library, because its last digits differ from platform to
// platform. `ReproducibleMath` has the few functions that are needed, built from operations that
// IEEE 754 defines to the last bit.
//
// **The medium.** These steps determine whether a packet arrives. The packet occupies its channel
// for its `airTime`, which follows from modulation and length to the microsecond (Vol 6, Part B,
// 2). `RadioEnvironment` computes its power at the receiver: the transmit power, less the path loss
// between the two positions at that instant, plus or minus the shadowing of the pair. There is no
// signal across a partition or from a device that is off. `Reception` turns power and length into
// the probability that every bit arrives correctly. `Air` determines which other packets overlap on
// the channel, and whether the stronger signal captures the receiver. The `LossPlan` of a test
// drops further packets. The simulation works packet by packet: it has no symbols, no clock drift,
// no antenna patterns, and no interference from adjacent channels.
//
// **Controllers and links.** A `VirtualController` is a value with parts: advertiser, scanner,
// initiator, Filter Accept List, resolving list and keys. Each part has a list of
// `CommandHandler`s, and methods that receive the `Ether` as `inout`. The `Ether` is everything
// between controllers. A part sends packets, sets timers and notifies its host, but does not reach
// another controller: the world delivers packets. A radio does one thing at a time
// (`RadioSchedule`), so a scanner may miss packets during the connection events of its controller's
// links. Two controllers share a `RadioLink`, which therefore belongs to the ether. It has a
// schedule (anchors, exchanges, channels) and two `LinkEnd`s. `LinkProcedures` is the state machine
// of the Link Layer control procedures at one end.
//
// **Hosts, faults and invariants.** A host is a closure that receives packets from the world, or a
// `ScriptedHost`, a value that the world runs. This module imports no host. A `FaultPlan` loses
// packets on the radio, delays packets between host and controller, loses, repeats and corrupts
// events, and makes a controller hang, restart or report a hardware error. The `Invariant`s observe
// the packets between host and controller and report violations of rules that must always hold.
// Threads, sockets and the system's clock are in the module `VirtualAdapters`.

// The interface of a world uses instants and addresses, so `import VirtualRadio` is enough for a
// program that uses a world.
@_exported import BluetoothTypes
