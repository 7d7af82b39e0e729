// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A request that reads values, one after the other, until its response is complete.
///
/// Values that the server keeps come at once and those of the application when it has answered, and
/// the request need not know which is which.
protocol Reading: Sendable {
    var opcode: ATT.Opcode { get }

    /// The attribute to read next; nil if the response is complete.
    func next(mtu: Int) -> AttributeHandle?

    /// Where in the value to begin.
    var offset: Int { get }

    /// The value of the attribute that was next, from `offset` on.
    mutating func receive(_ value: ArraySlice<UInt8>, mtu: Int)

    /// The attribute that was next cannot be read. Throws if the request fails with it.
    mutating func receive(_ refusal: Refusal) throws(Refusal)

    /// The response, once nothing is next any more.
    func response(mtu: Int) throws(Refusal) -> ATT.PDU
}

extension Reading {
    var offset: Int { 0 }

    mutating func receive(_ refusal: Refusal) throws(Refusal) { throw refusal }
}
