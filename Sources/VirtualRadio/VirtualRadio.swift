// SPDX-License-Identifier: Apache-2.0

// Bluetooth without antennas: controllers that speak HCI, byte for byte, on an air that exists in
// memory only. A host that sits on one of them finds all that it can observe of real hardware:
// packets take time, signals fade with distance, advertisers talk over each other, links die. And
// it finds it again: the same seed and the same commands lead to the same packets at the same
// nanoseconds, on every machine.
//
// **Time and chance.** A `World` keeps its own. Time is a `Timeline`, a heap of events ordered by
// instant, and by who came first within an instant; it jumps from event to event, which makes an
// hour of advertising a matter of seconds. Whatever happens is a `WorldEvent`, and `WorldCore` is
// where it happens. The dice are `RandomStream`s: every use of chance (one pair's shadowing, one
// receiver's losses) has a stream with a name of its own, derived from the one `WorldSeed`, so that
// a device more does not change the fate of the others. Nothing here calls the mathematical
// library, whose last digits differ from platform to platform: `Reproducible` has the few functions
// needed, built from operations that IEEE 754 defines to the last bit.
//
// **The air.** What a packet experiences, in order: it occupies its channel for its `airTime`, which
// follows from modulation and length to the microsecond (Vol 6, Part B, 2). The `Surroundings` say
// how strong it arrives: transmit power, less the path loss between the two positions at that
// instant, more or less the shadowing of the pair; or nothing at all, across a partition or from a
// device that is off. `Reception` turns strength and length into the probability that every bit
// survives. The `Air` knows what else was sent on the channel meanwhile, and whether the stronger
// signal captured the receiver. Last, the `LossPlan` takes what a test wants taken. The granularity
// is the packet: there are no symbols, no clock drift and no antenna patterns, and interference from
// the neighbouring channel is not heard.
//
// **Controllers and links.** A `VirtualController` is a value in parts: advertiser, scanner and
// initiator, Filter Accept List and resolving list, keys. Each part has a folder, a list of
// `CommandHandler`s, and methods that get the `Ether` as `inout`: all that is between controllers.
// So a part sends, sets timers and tells its host, but reaches no other controller; the world
// delivers. A radio does one thing at a time (`RadioSchedule`), so who scans may miss what its own
// links cover. A `Link` is shared by two controllers and lives in the ether: its rhythm (anchors,
// exchanges, channels), and two `LinkEnd`s, each knowing only what it heard. `LinkProcedures` are
// the Link Layer control procedures of one end: a machine that is told what happens, and tells what
// to do.
//
// **Hosts, faults and rules.** A host is a closure to which the world gives packets, or a
// `ScriptedHost`, a value that the world runs by itself; this room imports neither ours nor any
// other. The wire between the two is a place where things go wrong: a `FaultPlan` delays, loses,
// repeats and corrupts, and lets a controller hang, restart or fail. The `Invariant`s look at that
// wire and say when a rule is broken that must hold whatever happens. Threads, sockets and the clock
// on the wall are the matter of the room `VirtualAdapters`.
