// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

extension Instant {
    /// Returns the instant that is `seconds` after the start.
    static func seconds(_ seconds: Double) -> Instant {
        .zero + .seconds(seconds)
    }
}

extension ATT.PDU {
    static func read(_ handle: AttributeHandle) -> ATT.PDU {
        .readRequest(.init(handle: handle))
    }

    static func write(_ handle: AttributeHandle, _ value: ArraySlice<UInt8> = [1]) -> ATT.PDU {
        .writeRequest(.init(handle: handle, value: value))
    }

    static func writeCommand(
        _ handle: AttributeHandle,
        _ value: ArraySlice<UInt8> = [1]
    ) -> ATT.PDU {
        .writeCommand(.init(handle: handle, value: value))
    }

    static func value(_ value: ArraySlice<UInt8>) -> ATT.PDU {
        .readResponse(.init(value: value))
    }

    static func error(
        _ opcode: ATT.Opcode,
        _ handle: AttributeHandle,
        _ code: ATT.ErrorCode
    ) -> ATT.PDU {
        .errorResponse(.init(requestOpcode: opcode, handle: handle, code: code))
    }

    static func notification(
        _ handle: AttributeHandle,
        _ value: ArraySlice<UInt8>
    ) -> ATT.PDU {
        .handleValueNotification(.init(handle: handle, value: value))
    }

    static func indication(_ handle: AttributeHandle, _ value: ArraySlice<UInt8>) -> ATT.PDU {
        .handleValueIndication(.init(handle: handle, value: value))
    }
}

extension ATTBearer {
    /// Returns the next PDU to send, decoded, or `nil` if there is none.
    mutating func next(at now: Instant = .zero) throws -> ATT.PDU? {
        try nextPDU(now: now).map { try ATT.PDU(parsing: $0.bytes[...]) }
    }

    /// Returns all PDUs that can be sent now, decoded.
    mutating func drain(at now: Instant = .zero) throws -> [ATT.PDU] {
        var pdus: [ATT.PDU] = []
        while let pdu = try next(at: now) { pdus.append(pdu) }
        return pdus
    }

    mutating func receive(_ pdu: ATT.PDU) -> Received {
        receive(pdu.encode()[...])
    }
}
