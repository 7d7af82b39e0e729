// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT

// Operations on discovered characteristics and descriptors instead of handles. Each is the
// operation of the same name on the handle of the characteristic's value, not of its declaration.
extension Link {
    /// Reads the first `mtu - 1` bytes of a characteristic's value.
    public func read(_ characteristic: GATT.Characteristic) async throws -> [UInt8] {
        try await read(characteristic.valueHandle)
    }

    /// Reads the whole value of a characteristic, in as many requests as necessary.
    public func readLong(_ characteristic: GATT.Characteristic) async throws -> [UInt8] {
        try await readLong(characteristic.valueHandle)
    }

    /// Writes a characteristic's value and waits until the peer has accepted it.
    public func write(_ bytes: [UInt8], to characteristic: GATT.Characteristic) async throws {
        try await write(bytes, to: characteristic.valueHandle)
    }

    /// Writes a characteristic's value without a response from the peer.
    public func writeWithoutResponse(
        _ bytes: [UInt8],
        to characteristic: GATT.Characteristic
    ) async throws {
        try await writeWithoutResponse(bytes, to: characteristic.valueHandle)
    }

    /// Reads the first `mtu - 1` bytes of a descriptor.
    public func read(_ descriptor: GATT.Descriptor) async throws -> [UInt8] {
        try await read(descriptor.handle)
    }

    /// Writes a descriptor and waits until the peer has accepted it. For the Client Characteristic
    /// Configuration descriptor, use `subscribe(to:kind:)`.
    public func write(_ bytes: [UInt8], to descriptor: GATT.Descriptor) async throws {
        try await write(bytes, to: descriptor.handle)
    }
}
