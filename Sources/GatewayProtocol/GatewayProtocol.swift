// SPDX-License-Identifier: Apache-2.0

// The protocol between a gateway, which has a controller, and a host on another machine. It runs
// inside a TLS connection, which has authenticated both sides before the first byte. The exception
// is a host that enrolls: the gateway authenticates it by the secret in its first frame.
//
// The host asks for a lease (`hello`). If no other connection has it, the gateway opens its
// controller, resets it, and grants the lease (`granted`). From then on, both sides exchange HCI
// packets. The lease ends with the connection, and the gateway then resets a controller that still
// works. At most one connection owns the controller at any time.
//
// Each frame has a number, so that a lost or repeated frame is noticed. Each side sends a frame at
// least once a second, and ends the connection if it receives nothing for three seconds. A receiver
// permits a number of bytes of packets. It permits more (`credit`) when it has passed packets on.
// If a host reads too slowly, the gateway drops advertising reports. It keeps all other packets,
// and ends the connection if too many bytes wait.
//
// `GatewayCore` and `GatewayClient` are the two sides, as values without I/O and a clock. Each
// input is a method that returns actions. The other side is not trusted: a violation ends the
// connection, with the violation as the reason.

/// The constants on which both sides have to agree.
package enum GatewayProtocol {
    /// The version that both sides must have.
    package static let version: UInt8 = 1
    /// The number of bytes of packets that a side may send before it gets credit.
    package static let window = 128 << 10
    /// The time after which a side that has nothing to send sends a ping.
    package static let pingInterval = Duration.seconds(1)
    /// The time without a frame after which the other side counts as lost.
    package static let silenceLimit = Duration.seconds(3)
    /// The default TCP port of a gateway.
    package static let defaultPort: UInt16 = 6403
}
