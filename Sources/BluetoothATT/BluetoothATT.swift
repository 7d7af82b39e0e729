// SPDX-License-Identifier: Apache-2.0

// The Attribute Protocol, with which a device reads and writes small values of another device.
//
// A server has a flat database of attributes. Each attribute has a 16-bit handle, a UUID as its
// type, and a value of up to 512 bytes. A client accesses attributes with requests, each of which
// has exactly one response. A client may also write with a command, which has no response. A server
// reports changes with notifications, which have no response, and with indications, each of which
// the client confirms. GATT, the layer above, defines the meaning of the attributes and groups them
// into services and characteristics.
//
// Two devices communicate over a bearer. Every LE link has one on the fixed L2CAP channel 0x0004,
// and may have enhanced bearers, each on a credit-based channel. A bearer is strictly sequential:
// in each direction, at most one request is unanswered and at most one indication is unconfirmed.
// The protocol therefore needs no sequence numbers, because a response belongs to the outstanding
// request. A request without a response after 30 seconds ends the bearer permanently. No PDU is
// longer than the bearer's MTU. The MTU of an enhanced bearer is that of its channel. On the fixed
// channel, the MTU is 23 bytes at first. In an MTU exchange, each side states the maximum length
// that it receives, and the smaller of the two becomes the MTU.
//
// `ATT.PDU` and the structs nested in `ATT` encode and decode PDUs. `ATTBearer` has the state of
// the exchange.

/// The namespace of the Attribute Protocol (Vol 3, Part F).
public enum ATT {
    /// The MTU of an LE bearer before an exchange, in bytes (Vol 3, Part G, 5.2.1).
    package static let defaultMTU = 23

    /// The minimum MTU of an enhanced bearer, in bytes (Vol 3, Part G, 5.3.1).
    package static let enhancedMTUMinimum = 64

    /// The maximum length of an attribute value, in bytes (Vol 3, Part F, 3.2.9).
    package static let valueLengthLimit = 512
}
