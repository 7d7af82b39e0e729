// SPDX-License-Identifier: Apache-2.0

// The Attribute Protocol: how one device reads and writes small named values of another.
//
// A server holds a flat table of attributes. Each has a 16-bit handle (its address in the table),
// a UUID (its type) and a value of at most 512 octets. A client asks for them with requests, each
// of which has exactly one response; a client may also write with a command, which has none. A
// server tells of changes on its own account by notifications, which nobody answers, and by
// indications, each of which the client confirms. What the attributes mean, and how they group
// into services and characteristics, is the business of GATT, the layer above.
//
// Two devices speak over a bearer: on LE the fixed L2CAP channel 0x0004. A bearer is strictly
// sequential. In each direction one request may be unanswered and one indication unconfirmed, and
// no more, so there are no sequence numbers: a response belongs to the request that is outstanding.
// A request not answered within thirty seconds ends the bearer for good. No PDU is longer than the
// bearer's MTU: 23 octets at first, and more once both sides have told what they can receive.
//
// `ATT.PDU` and the structs nested in `ATT` are the codec; `ATTBearer` is the conversation.

/// The namespace of the Attribute Protocol (Vol 3, Part F).
public enum ATT {
    /// The MTU of a bearer on LE before any exchange, in octets (Vol 3, Part G, 5.2.1).
    package static let defaultMTU = 23

    /// The least MTU of an enhanced bearer, in octets (Vol 3, Part G, 5.3.1).
    package static let enhancedMTUMinimum = 64

    /// The longest attribute value there can be, in octets (Vol 3, Part F, 3.2.9).
    package static let valueLengthLimit = 512
}
