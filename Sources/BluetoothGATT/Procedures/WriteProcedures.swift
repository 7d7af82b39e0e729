// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Write Characteristic Value, and Write Characteristic Descriptors: one request, at most MTU - 3
/// bytes (Vol 3, Part G, 4.9.3 and 4.12.3).
struct WriteCharacteristicValue: GATT.Procedure {
    let handle: AttributeHandle
    let value: [UInt8]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkWrite(value, mtu: mtu)
        return .send(.writeRequest(.init(handle: handle, value: value[...])))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .writeResponse = response else { throw .unexpected(response) }
        return .complete(.done)
    }
}

extension WriteCharacteristicValue {
    /// Creates a write to a Client Characteristic Configuration descriptor (Vol 3, Part G,
    /// 3.3.3.3). If the kind is `nil`, the write ends the subscription.
    init(configure descriptor: AttributeHandle, for kind: GATT.SubscriptionKind?) {
        let configuration = kind?.configuration ?? 0
        handle = descriptor
        value = [UInt8(configuration & 0xFF), UInt8(configuration >> 8)]
    }
}

extension GATT {
    /// Checks that the value fits into a PDU with the opcode, the handle and a signature, and is
    /// not longer than `valueLengthLimit`.
    static func checkWrite(
        _ value: [UInt8],
        signatureLength: Int = 0,
        mtu: Int
    ) throws(GATT.Failure) {
        let limit = min(mtu - 3 - signatureLength, valueLengthLimit)
        guard value.count <= limit else { throw .valueTooLong(limit: limit) }
    }
}

/// Write Without Response: a command, at most MTU - 3 bytes (Vol 3, Part G, 4.9.1).
struct WriteWithoutResponse: GATT.Procedure {
    let handle: AttributeHandle
    let value: [UInt8]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkWrite(value, mtu: mtu)
        return .send(.writeCommand(.init(handle: handle, value: value[...])))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        throw .unexpected(response)
    }
}

/// Signed Write Without Response: a command whose signature proves the identity of its sender on a
/// link without encryption, with at most MTU - 15 bytes (Vol 3, Part G, 4.9.2).
struct SignedWriteWithoutResponse: GATT.Procedure {
    let handle: AttributeHandle
    let value: [UInt8]
    let signer: GATT.CommandSigner

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        let length = ATT.SignedWriteCommand.signatureLength
        try GATT.checkWrite(value, signatureLength: length, mtu: mtu)
        return .send(.signedWriteCommand(signer.sign(value, for: handle)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        throw .unexpected(response)
    }
}

/// Write Long Characteristic Values, and Write Long Characteristic Descriptors: writes one value in
/// as many parts as necessary (Vol 3, Part G, 4.9.4 and 4.12.4).
///
/// The specification requires the comparison of the server's responses only for reliable writes.
/// This procedure compares them as well, because it needs no further request and prevents the write
/// of a damaged value.
struct WriteLongCharacteristicValues: QueuedWriteProcedure {
    let handle: AttributeHandle
    let offset: Int
    let value: [UInt8]
    var writes = QueuedWrites()

    init(handle: AttributeHandle, offset: Int, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    mutating func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try writes.add(value, at: offset, of: handle)
        return writes.begin(mtu: mtu)
    }
}

/// Characteristic Value Reliable Writes: writes several values. The server returns each value for
/// comparison, and then writes either all of them or none (Vol 3, Part G, 4.9.5).
///
/// A value that does not fit into one PDU is prepared in parts, like a long value.
struct CharacteristicValueReliableWrites: QueuedWriteProcedure {
    let values: [GATT.AttributeValue]
    var writes = QueuedWrites()

    init(values: [GATT.AttributeValue]) {
        self.values = values
    }

    mutating func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard !values.isEmpty else { throw .invalidOperation("there are no values to write") }
        for value in values { try writes.add(value.value, of: value.handle) }
        return writes.begin(mtu: mtu)
    }
}

/// The common part of the procedures that prepare values and execute them together.
protocol QueuedWriteProcedure: GATT.Procedure {
    /// The progress of the writes.
    var writes: QueuedWrites { get set }
}

extension QueuedWriteProcedure {
    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        try writes.receive(response, mtu: mtu)
    }

    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        try writes.receive(failure)
    }

    mutating func abandon() -> Bool {
        writes.abandon()
        return true
    }
}
