// SPDX-License-Identifier: Apache-2.0

// A client of a D-Bus message bus in Swift, on the sockets and the thread of `HCITransports`.
//
// The core does no I/O. `DBusReader` and `DBusWriter` convert values to bytes, `DBusDeframer`
// splits a stream into messages, `DBusAuthentication` opens a connection, and `DBusConnectionCore`
// matches replies to calls. The driver `DBusConnection` owns the socket, the file descriptors that
// messages carry, and two timers, and connects again when the bus returns.
//
// Every program on the machine may connect to the system's bus, so received bytes are not trusted.
// Each bound of the specification is checked while a message is read, and further bounds limit the
// memory that a message can occupy.
//
// Sections refer to the D-Bus Specification, version 0.43.

import BluetoothTypes
import HCITransports

/// The bounds of messages.
package enum DBusLimits {
    /// The maximum length of a message in bytes. The specification permits 128 MiB ("Message
    /// Format"), which no message of a Bluetooth daemon needs.
    package static let messageLength = 16 << 20
    /// The maximum length of an array in bytes ("Marshaling containers").
    package static let arrayLength = 64 << 20
    /// The maximum number of values in the header of a message, and of values in its body. It
    /// limits the memory of a message, because a value occupies more bytes in memory than in the
    /// message.
    package static let valuesPerMessage = 1 << 20
    /// The maximum length of a signature in bytes ("Valid Signatures").
    package static let signatureLength = 255
    /// The maximum depth of arrays, and the maximum depth of structures ("Valid Signatures").
    package static let containerDepth = 32
    /// The maximum depth of all containers of a message, variants included ("Marshaling
    /// containers").
    package static let totalDepth = 64
    /// The maximum length of a name in bytes ("Valid Names").
    package static let nameLength = 255
    /// The maximum number of file descriptors in a message. Linux passes at most 253.
    package static let descriptorsPerMessage = 16
}
