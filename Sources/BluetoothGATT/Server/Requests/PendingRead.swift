// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A request that reads one or more values in sequence until its response is complete.
///
/// The server gets a value from its database immediately, or from the application after a delay. It
/// calls `receive(_:mtu:)` in both cases.
protocol PendingRead: Sendable {
    var opcode: ATT.Opcode { get }

    /// Returns the attribute to read next, or `nil` if the response is complete.
    func next(mtu: Int) -> AttributeHandle?

    /// The offset in the value at which to start.
    var offset: Int { get }

    /// Processes the value of the attribute from `next(mtu:)`, starting at `offset`.
    mutating func receive(_ value: ArraySlice<UInt8>, mtu: Int)

    /// Processes the refusal of the attribute from `next(mtu:)`, and throws if the request fails as
    /// a result.
    mutating func receive(_ refusal: RequestRefusal) throws(RequestRefusal)

    /// Returns the response. Call this after `next(mtu:)` has returned `nil`.
    func response(mtu: Int) throws(RequestRefusal) -> ATT.PDU
}

extension PendingRead {
    var offset: Int { 0 }

    mutating func receive(_ refusal: RequestRefusal) throws(RequestRefusal) { throw refusal }
}
