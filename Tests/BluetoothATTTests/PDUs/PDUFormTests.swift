// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Invalid forms of PDUs")
struct PDUFormTests {
    @Test(
        "Fields with invalid values are refused",
        arguments: [
            ("0503010000280200032a", "format"), ("0500010000280200032a", "format"),
            ("09010200", "length"), ("0900", "length"), ("1103010005", "length"),
            ("1802", "flags"), ("18ff", "flags"), ("080100ffff032800", "UUID"),
            ("100100ffff0028000000", "UUID"),
        ]
    )
    func refusesMeaningless(_ hexadecimal: String, field: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hexadecimal))
        #expect(throws: MalformedBytes.invalid(field: field)) {
            try ATT.PDU(parsing: bytes[...])
        }
    }

    @Test("A PDU with a 32-bit UUID is refused", arguments: [UInt8(0x08), 0x10])
    func refuses32BitUUIDs(opcode: UInt8) {
        #expect(throws: MalformedBytes.invalid(field: "UUID")) {
            try ATT.PDU(parsing: [opcode, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x00, 0x00])
        }
    }

    @Test("An empty list of entries is refused", arguments: ["0501", "07", "0907", "1106"])
    func refusesEmptyLists(_ hexadecimal: String) throws {
        let bytes = try #require([UInt8](hexadecimal: hexadecimal))
        #expect(throws: MalformedBytes.self) { try ATT.PDU(parsing: bytes[...]) }
    }

    @Test("A multiple read with one handle is refused", arguments: [UInt8(0x0E), 0x20])
    func refusesSingleHandles(opcode: UInt8) {
        #expect(throws: MalformedBytes.truncated(needed: 4, available: 2)) {
            try ATT.PDU(parsing: [opcode, 0x03, 0x00])
        }
    }

    @Test("A Find Information Response uses the long form if one UUID needs it")
    func choosesFormat() throws {
        let custom = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        let response = ATT.FindInformationResponse(entries: [
            .init(handle: 1, uuid: .init(0x2800)), .init(handle: 2, uuid: custom),
        ])
        #expect(response.format == .uuid128)
        #expect(response.encode().count == 2 + 2 * 18)
        let again = try ATT.PDU(parsing: response.encode()[...])
        #expect(again == .findInformationResponse(response))
    }

    @Test("Empty values are valid")
    func readsEmptyValues() throws {
        let entry = ATT.ReadByTypeResponse.Entry(handle: 7, value: [])
        #expect(
            try ATT.PDU(parsing: [0x09, 0x02, 0x07, 0x00])
                == .readByTypeResponse(.init(entries: [entry]))
        )
        #expect(try ATT.PDU(parsing: [0x0B]) == .readResponse(.init(value: [])))
    }

    @Test("A notification of several values must contain them completely")
    func refusesCutNotifications() throws {
        let whole: [UInt8] = [0x23, 0x15, 0x00, 0x02, 0x00, 0xAA, 0xBB, 0x16, 0x00, 0x00, 0x00]
        let entries = [
            ATT.MultipleHandleValueNotification.Entry(handle: 0x15, value: [0xAA, 0xBB]),
            ATT.MultipleHandleValueNotification.Entry(handle: 0x16, value: []),
        ]
        let pdu = ATT.PDU.multipleHandleValueNotification(.init(entries: entries))
        #expect(try ATT.PDU(parsing: whole[...]) == pdu)
        #expect(pdu.encode() == whole)
        for count in 1..<whole.count where count != 7 {
            #expect(throws: MalformedBytes.self) { try ATT.PDU(parsing: whole.prefix(count)) }
        }
    }

    @Test("The length field of a response can express entries of 255 bytes")
    func boundsLengths() {
        let longest = ArraySlice(repeating: UInt8(7), count: 253)
        let response = ATT.ReadByTypeResponse(entries: [.init(handle: 1, value: longest)])
        #expect(response.encode()[1] == 255)
        let group = ATT.ReadByGroupTypeResponse(entries: [
            .init(handle: 1, groupEnd: 2, value: longest.prefix(251))
        ])
        #expect(group.encode()[1] == 255)
    }
}
