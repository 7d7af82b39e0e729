// SPDX-License-Identifier: Apache-2.0

// An air without antennas: what a radio does to packets, as far as a host can notice, and nothing
// of it left to chance.
//
// A Bluetooth host is tested well only where packets take time, signals fade with distance, two
// advertisers talk at once, and all of it happens again exactly when a test fails. So this room
// keeps its own time and its own dice. Time is a `Timeline`: a heap of events ordered by instant,
// and by who came first within an instant. It jumps from event to event, which makes an hour of
// advertising a matter of seconds. The dice are `RandomStream`s: every use of chance (one pair's
// shadowing, one receiver's losses) has a stream with a name of its own, derived from the one
// `WorldSeed`, so that a device more in the world does not change the fate of the others. Not even
// the machine matters: nothing here calls the mathematical library, whose last digits differ from
// platform to platform; `Reproducible` has the few functions needed, built from operations that
// IEEE 754 defines to the last bit.
//
// What a packet experiences, in order. It occupies its channel for its `airTime`, which follows
// from modulation and length to the microsecond (Vol 6, Part B, 2). The `Surroundings` say how
// strong it arrives: transmit power, less the path loss of the distance between the two positions
// at that instant, more or less the shadowing of the pair; or nothing at all, across a partition or
// from a device that is off. `Reception` turns strength and length into the probability that every
// bit survives. The `Air` knows what else was sent on the channel at the same time, and whether the
// stronger signal captured the receiver. Last, the `LossPlan` takes what a test wants taken.
//
// The granularity is the packet. There are no symbols, no clock drift and no antenna patterns, and
// interference from the neighbouring channel is not heard. The controllers that use this air are
// a matter of their own: nothing here knows a command or an event of HCI.
