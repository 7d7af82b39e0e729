// SPDX-License-Identifier: Apache-2.0

// The floor every other room stands on: bytes, addresses, UUIDs, time and open code points.
//
// Bluetooth numbers travel least significant octet first, at every layer above the radio
// (Vol 3, Part A, 1.3; Vol 4, Part E, 5.2). `ByteReader` and `ByteWriter` therefore know one byte
// order only. A reader never trusts a length that arrived: each read is checked, and what is left
// over at the end is an error, because two peers that disagree about the length of a packet
// disagree about its meaning.
//
// Nothing here reads a clock or draws a random number. Time arrives as an `Instant`, randomness as
// a generator, so that everything built on this floor can be replayed.
