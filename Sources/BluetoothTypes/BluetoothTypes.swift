// SPDX-License-Identifier: Apache-2.0

// The base module of the package: bytes, addresses, UUIDs, time and open code points. Almost every
// other module depends on it.
//
// Bluetooth transmits numbers least significant byte first at every layer above the radio (Vol 3,
// Part A, 1.3; Vol 4, Part E, 5.2). `ByteReader` and `ByteWriter` therefore implement one byte
// order only. A reader never trusts a received length: it checks each read. For `finish()`, bytes
// left over at the end are an error, because two peers that disagree about the length of a packet
// also disagree about its meaning.
//
// This module has no clock and no source of randomness. The caller passes time as an `Instant` and
// randomness as a generator, so that the layers above can be replayed.
