// SPDX-License-Identifier: Apache-2.0

// The Security Manager, with which two devices create shared keys (Vol 3, Part H).
//
// Pairing has three phases. In phase 1, the devices exchange their input and output capabilities,
// their requirements, and the keys that they request. The result determines the pairing method. In
// phase 2, the devices create a key by this method and encrypt the link with it. LE Secure
// Connections uses a Diffie-Hellman exchange on P-256. Legacy pairing uses a temporary key that an
// eavesdropper can find, unless it is out-of-band data. In phase 3, the devices exchange keys for
// later links over the encrypted link.
//
// `SecurityManager` is the state machine for one link, implemented as a value. It has no access to
// a controller or a store. `PairingState` has one case for each state. The value of each case is a
// `PairingPhase`, which processes PDUs, answers and encryption changes.

/// The Security Manager Protocol.
package enum SMP {}

/// The namespace of pairing: policies, questions and results.
public enum Pairing {}
