// SPDX-License-Identifier: Apache-2.0

// The Security Manager: how two devices that know nothing of each other come to share keys
// (Vol 3, Part H).
//
// Pairing has three phases. The two sides tell each other what they can show and ask, and what keys
// they want (1). From that follows the method, and by it they agree on a key that encrypts the link
// (2): LE Secure Connections by a Diffie-Hellman exchange on P-256, legacy pairing by a short secret
// that whoever listens can guess. On the encrypted link they hand over the keys that outlive it (3).
//
// `SecurityManager` is the machine for one link, a value: PDUs, answers of the application and the
// clock go in, and PDUs, questions and keys come out. It knows neither a controller nor a store. The
// folder `PDUs` has the packets, `Toolbox` the cryptographic functions, `Policy` what an application
// decides, `Keys` what comes of it, `Pairing` the machine: `PairingState` lists where a pairing can
// stand, and what a case holds is a `PairingPhase`, which knows what to do with a PDU, an answer, or
// encryption. Each has what the steps before it have made, so none of them can be left out.

/// The Security Manager Protocol.
package enum SMP {}

/// Making keys with a peer: what is allowed, what is asked, what comes of it.
public enum Pairing {}
