// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT

// Operations on discovered characteristics and descriptors instead of handles. Each is the
// operation of the same name on the handle of the characteristic's value or of the descriptor.
extension Link {
    /// Reads the part of a characteristic's value that fits into one response (Vol 3, Part G,
    /// 4.8.1).
    ///
    /// - Parameter characteristic: The characteristic.
    /// - Returns: The first `mtu - 1` bytes at most.
    /// - Throws: The errors of a GATT operation (see ``Link``).
    public func read(_ characteristic: GATT.Characteristic) async throws -> [UInt8] {
        try await read(characteristic.valueHandle)
    }

    /// Reads the whole value of a characteristic, in as many requests as necessary (Vol 3, Part G,
    /// 4.8.3).
    ///
    /// - Parameter characteristic: The characteristic.
    /// - Returns: The value, at most 512 bytes.
    /// - Throws: The errors of a GATT operation (see ``Link``).
    public func readLong(_ characteristic: GATT.Characteristic) async throws -> [UInt8] {
        try await readLong(characteristic.valueHandle)
    }

    /// Writes a characteristic's value and waits until the peer has accepted it (Vol 3, Part G,
    /// 4.9.3 and 4.9.4).
    ///
    /// - Parameters:
    ///   - bytes: The new value, at most 512 bytes.
    ///   - characteristic: The characteristic.
    /// - Throws: The errors of a GATT operation (see ``Link``), `GATT.Failure.valueTooLong` if the
    ///   value has more than 512 bytes, and `GATT.Failure.echoMismatch` if the peer returns other
    ///   bytes for a part of a long value.
    public func write(_ bytes: [UInt8], to characteristic: GATT.Characteristic) async throws {
        try await write(bytes, to: characteristic.valueHandle)
    }

    /// Writes a characteristic's value without a response from the peer (Vol 3, Part G, 4.9.1).
    ///
    /// Returns when the value is in the controller's buffers or in the queue before them.
    ///
    /// - Parameters:
    ///   - bytes: The new value, at most `mtu - 3` bytes and at most 512.
    ///   - characteristic: The characteristic.
    /// - Throws: The errors of a GATT operation (see ``Link``), and `GATT.Failure.valueTooLong`.
    ///   The peer reports no refusal.
    public func writeWithoutResponse(
        _ bytes: [UInt8],
        to characteristic: GATT.Characteristic
    ) async throws {
        try await writeWithoutResponse(bytes, to: characteristic.valueHandle)
    }

    /// Reads the part of a descriptor that fits into one response (Vol 3, Part G, 4.12.1).
    ///
    /// - Parameter descriptor: The descriptor.
    /// - Returns: The first `mtu - 1` bytes at most.
    /// - Throws: The errors of a GATT operation (see ``Link``).
    public func read(_ descriptor: GATT.Descriptor) async throws -> [UInt8] {
        try await read(descriptor.handle)
    }

    /// Writes a descriptor and waits until the peer has accepted it (Vol 3, Part G, 4.12.3 and
    /// 4.12.4). For the Client Characteristic Configuration descriptor, use
    /// ``subscribe(to:kind:)``.
    ///
    /// - Parameters:
    ///   - bytes: The new value, at most 512 bytes.
    ///   - descriptor: The descriptor.
    /// - Throws: The errors of a GATT operation (see ``Link``), `GATT.Failure.valueTooLong` if the
    ///   value has more than 512 bytes, and `GATT.Failure.echoMismatch` if the peer returns other
    ///   bytes for a part of a long value.
    public func write(_ bytes: [UInt8], to descriptor: GATT.Descriptor) async throws {
        try await write(bytes, to: descriptor.handle)
    }
}
