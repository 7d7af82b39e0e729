// SPDX-License-Identifier: Apache-2.0

/// The peer's end of ATT as the scenarios need it, as a server and as a client: H4 packets in, H4
/// packets out.
enum ScriptedServer {
    static let connectionHandle: UInt8 = 0x40
    static let valueHandle: UInt8 = 0x03
    static let notifyingHandle: UInt8 = 0x05
    static let configurationHandle: UInt8 = 0x06

    /// Returns the response to an ATT PDU, or `nil` for a PDU without one, such as a command.
    static func response(to pdu: ArraySlice<UInt8>) -> [UInt8]? {
        switch pdu.first {
        case 0x0A: readResponse
        case 0x02: packet([0x03, 247, 0])
        case 0x04: packet(ScriptedTable.descriptors(pdu))
        case 0x08: packet(ScriptedTable.characteristics(pdu))
        case 0x10: packet(ScriptedTable.services(pdu))
        case 0x12: packet([0x13])
        case 0x52, 0x1E, nil: nil
        case let opcode? where opcode % 2 == 1: nil
        case let opcode?: packet([0x01, opcode, 0, 0, 0x06])
        }
    }

    /// Returns a notification of the characteristic.
    static func notification(of value: [UInt8]) -> [UInt8] {
        packet([0x1B, notifyingHandle, 0] + value)
    }

    /// Returns whether the PDU is an answer of the host's server: a response to a read or a write,
    /// or an error.
    static func isAnswer(_ pdu: ArraySlice<UInt8>) -> Bool {
        [0x01, 0x0B, 0x13].contains(pdu.first)
    }

    /// Returns a client's request to read a value.
    static func readRequest(_ handle: UInt16) -> [UInt8] {
        packet([0x0A, UInt8(handle & 0xFF), UInt8(handle >> 8)])
    }

    /// Returns a client's request for notifications, by writing the value's configuration.
    static func subscription(_ configuration: UInt16) -> [UInt8] {
        packet([0x12, UInt8(configuration & 0xFF), UInt8(configuration >> 8), 1, 0])
    }

    private static let readResponse = packet([0x0B] + [UInt8](repeating: 0xA5, count: 20))

    /// Returns an ATT PDU in a frame in a data packet: Vol 4, Part E, 5.4.2 and Vol 3, Part A, 3.1.
    private static func packet(_ pdu: [UInt8]) -> [UInt8] {
        let count = UInt8(pdu.count)
        return [0x02, connectionHandle, 0x20, count + 4, 0, count, 0, 0x04, 0] + pdu
    }
}
