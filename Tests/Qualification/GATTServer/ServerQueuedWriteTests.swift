// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// GATT/SR/GAW, continued: writing to the sample database with prepared writes.
@Suite struct ServerQueuedWriteTests {
    @Test(
        "A long value is written in parts and replaces the previous value",
        arguments: [
            ("GATT/SR/GAW/BV-05-C: Write Long Characteristic Value", 0x0025),
            ("GATT/SR/GAW/BV-09-C: Write Long Characteristic Descriptors", 0x0023),
        ] as [(String, UInt16)]
    )
    func writeLong(_ name: String, handle: UInt16) {
        let byte = [UInt8(handle), 0].hexadecimal
        let value = Array(UInt8(100)..<UInt8(130))
        Dialogue(serving: .none) {
            client(sends: "16 \(byte) 0000 \(bytes(100..<118))")
            server(sends: "17 \(byte) 0000 \(bytes(100..<118))")
            client(sends: "16 \(byte) 1200 \(bytes(118..<130))")
            server(sends: "17 \(byte) 1200 \(bytes(118..<130))")
            client(sends: "18 01")
            server(sends: "19")
            application(receives: .written([.init(handle: .init(handle), value: value)]))
            client(sends: "0A \(byte)")
            server(sends: "0B \(bytes(100..<122))")
            client(sends: "0C \(byte) 1600")
            server(sends: "0D \(bytes(122..<130))")
        }.play()
    }

    @Test(
        "Preparing a write is refused",
        arguments: [
            Refusal("GATT/SR/GAW/BI-07-C", .invalidHandle),
            Refusal("GATT/SR/GAW/BI-08-C", .writeNotPermitted),
            Refusal("GATT/SR/GAW/BI-11-C", .insufficientAuthorization),
            Refusal("GATT/SR/GAW/BI-12-C", .insufficientAuthentication),
            Refusal("GATT/SR/GAW/BI-13-C", .encryptionKeySizeTooShort),
        ]
    )
    func prepareRefused(_ refusal: Refusal) throws {
        let place = try #require(ServerWriteTests.refusals.first { $0.code == refusal.code })
        Dialogue(serving: place.link) {
            client(sends: "16 \(place.handle) 0000 010203")
            server(sends: "01 16 \(place.handle) \(refusal.byte)")
            client(sends: "18 01")
            server(sends: "19")
        }.play()
    }

    @Test("GATT/SR/GAW/BI-09-C: Write Long Characteristic Value – Invalid Offset")
    func writePastEnd() {
        Dialogue(serving: .none) {
            client(sends: "16 6200 0000 01")
            server(sends: "01 16 6200 03")
            client(sends: "16 2200 0400 01")
            server(sends: "17 2200 0400 01")
            client(sends: "18 01")
            server(sends: "01 18 2200 07")
            client(sends: "18 01")
            server(sends: "19")
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }

    @Test("GATT/SR/GAW/BI-33-C: Write Long Characteristic Value – Invalid Attribute Value Length")
    func writeTooLong() {
        Dialogue(serving: .none) {
            client(sends: "16 2200 0000 \(bytes(0..<18))")
            server(sends: "17 2200 0000 \(bytes(0..<18))")
            client(sends: "16 2200 1200 010203")
            server(sends: "17 2200 1200 010203")
            client(sends: "18 01")
            server(sends: "01 18 2200 0D")
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }

    @Test("GATT/SR/GAW/BV-06-C: Characteristic Value Reliable Write")
    func writeReliably() {
        let first = GATT.WriteEntry(handle: 0x0022, value: [4, 5, 6])
        let second = GATT.WriteEntry(handle: 0x0025, value: [7])
        Dialogue(serving: .none) {
            client(sends: "16 2200 0000 040506")
            server(sends: "17 2200 0000 040506")
            client(sends: "16 2500 0000 07")
            server(sends: "17 2500 0000 07")
            client(sends: "18 01")
            server(sends: "19")
            application(receives: .written([first, second]))
            client(sends: "20 2200 2500")
            server(sends: "21 0300 040506 0100 07")
        }.play()
    }

    @Test("GATT/SR/GAW/BV-07-C: Characteristic Value Reliable Write – Cancel")
    func cancels() {
        Dialogue(serving: .none) {
            client(sends: "16 2200 0000 040506")
            server(sends: "17 2200 0000 040506")
            client(sends: "18 00")
            server(sends: "19")
            client(sends: "18 01")
            server(sends: "19")
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }

    @Test("GATT/SR/GAW/BV-10-C: Nested Reliable Write")
    func writesNested() {
        let parts: [GATT.WriteEntry] = [
            .init(handle: 0x0022, value: [1, 1]), .init(handle: 0x0025, value: [2, 2]),
            .init(handle: 0x0022, offset: 2, value: [3, 3]),
            .init(handle: 0x0025, offset: 2, value: [4, 4]),
        ]
        Dialogue(serving: .none) {
            client(sends: "16 2200 0000 0101")
            server(sends: "17 2200 0000 0101")
            client(sends: "16 2500 0000 0202")
            server(sends: "17 2500 0000 0202")
            client(sends: "16 2200 0200 0303")
            server(sends: "17 2200 0200 0303")
            client(sends: "16 2500 0200 0404")
            server(sends: "17 2500 0200 0404")
            client(sends: "18 01")
            server(sends: "19")
            application(receives: .written(parts))
            client(sends: "20 2200 2500")
            server(sends: "21 0400 01010303 0400 02020404")
        }.play()
    }

    @Test("If one of the prepared writes is invalid, none is executed")
    func writesNothing() {
        Dialogue(serving: .none) {
            client(sends: "16 2200 0000 040506")
            server(sends: "17 2200 0000 040506")
            client(sends: "16 2300 0900 07")
            server(sends: "17 2300 0900 07")
            client(sends: "18 01")
            server(sends: "01 18 2300 07")
            client(sends: "20 2200 2300")
            server(sends: "21 0300 010203 0200 6869")
        }.play()
    }

    @Test("The application is asked for all values before any value is written")
    func asksFirst() {
        let asked = GATT.WriteEntry(handle: 0x0032, value: [7, 8])
        let prepared = [
            client(sends: "16 2200 0000 040506"), server(sends: "17 2200 0000 040506"),
            client(sends: "16 3200 0000 07"), server(sends: "17 3200 0000 07"),
            client(sends: "16 3200 0100 08"), server(sends: "17 3200 0100 08"),
            client(sends: "18 01"),
            application(isAsked: .write(.client, [asked], needsAnswer: true)),
        ]
        Dialogue(serving: .none) {
            prepared
            application(answers: .failure(.outOfRange))
            server(sends: "01 18 3200 FF")
            client(sends: "0A 2200")
            server(sends: "0B 010203")
            prepared
            application(answers: .success([]))
            server(sends: "19")
            application(receives: .written([.init(handle: 0x0022, value: [4, 5, 6])]))
            client(sends: "0A 2200")
            server(sends: "0B 040506")
        }.play()
    }

    /// Two values of the application, 0x0092 and 0x0094.
    private static let service = GATT.ServiceDefinition(
        BluetoothUUID(0xA020),
        [
            .init(BluetoothUUID(0xB300), .write, value: .dynamic),
            .init(BluetoothUUID(0xB301), .write, value: .dynamic),
        ],
        handle: 0x0090
    )

    // Vol 3, Part F, 3.4.6.3: the Attribute Handle In Error is that of the attribute that caused
    // the error.
    @Test(
        "An Execute Write Request that the application refuses names the value that caused it",
        arguments: [
            (nil, "01 18 9200 FF"), (0x0092, "01 18 9200 FF"), (0x0094, "01 18 9400 FF"),
            (0x0022, "01 18 9200 FF"),
        ] as [(UInt16?, String)]
    )
    func refusesNaming(_ handle: UInt16?, response: String) {
        let asked = [
            GATT.WriteEntry(handle: 0x0092, value: [7]),
            GATT.WriteEntry(handle: 0x0094, value: [8]),
        ]
        Dialogue(serving: .none) {
            application(publishes: Self.service)
            client(sends: "16 2200 0000 040506")
            server(sends: "17 2200 0000 040506")
            client(sends: "16 9200 0000 07")
            server(sends: "17 9200 0000 07")
            client(sends: "16 9400 0000 08")
            server(sends: "17 9400 0000 08")
            client(sends: "18 01")
            application(isAsked: .write(.client, asked, needsAnswer: true))
            application(answers: .failure(.outOfRange), at: handle.map { AttributeHandle($0) })
            server(sends: response)
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }
}
