// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// GATT/SR/GAR: reading from the sample database.
@Suite struct ServerReadTests {
    /// For each error code, an encoded handle and a link on which a request with the handle gets
    /// the error.
    private static let refusals: [(code: ATT.ErrorCode, handle: String, link: LinkSecurity)] = [
        (.readNotPermitted, "2800", .encrypted),
        (.invalidHandle, "FF0F", .encrypted),
        (.insufficientAuthorization, "2E00", .encrypted),
        (.insufficientAuthentication, "2C00", .encrypted),
        (.insufficientEncryption, "2A00", .bonded),
        (.encryptionKeySizeTooShort, "3000", .shortKey),
    ]

    private func play(
        _ refusal: Refusal,
        _ request: (String) -> String,
        opcode: String
    ) throws {
        let place = try #require(Self.refusals.first { $0.code == refusal.code })
        Dialogue(serving: place.link) {
            client(sends: request(place.handle))
            server(sends: "01 \(opcode) \(place.handle) \(refusal.byte)")
        }.play()
    }

    @Test("GATT/SR/GAR/BV-01-C: Read Characteristic Value")
    func read() {
        Dialogue(serving: .encrypted) {
            client(sends: "0A 2200")
            server(sends: "0B 010203")
            client(sends: "0A 2A00")
            server(sends: "0B 03")
            client(sends: "0A 3000")
            server(sends: "0B 06")
        }.play()
    }

    @Test(
        "Read Characteristic Value is refused",
        arguments: [
            Refusal("GATT/SR/GAR/BI-01-C", .readNotPermitted),
            Refusal("GATT/SR/GAR/BI-02-C", .invalidHandle),
            Refusal("GATT/SR/GAR/BI-03-C", .insufficientAuthorization),
            Refusal("GATT/SR/GAR/BI-04-C", .insufficientAuthentication),
            Refusal("GATT/SR/GAR/BI-05-C", .encryptionKeySizeTooShort),
            Refusal("Insufficient encryption", .insufficientEncryption),
        ]
    )
    func readRefused(_ refusal: Refusal) throws {
        try play(refusal, { "0A \($0)" }, opcode: "0A")
    }

    @Test("GATT/SR/GAR/BV-03-C: Read Using Characteristic UUID")
    func readUsingUUID() {
        Dialogue(serving: .none) {
            client(sends: "08 0100 FFFF 00B1")
            server(sends: "09 04 6200 0101 6400 0202")
            client(sends: "08 6500 FFFF 00B1")
            server(sends: "09 05 6600 030303")
            client(sends: "08 0100 FFFF \(SampleTable.longTypeBytes)")
            server(sends: "09 03 5300 07")
            client(sends: "08 0100 FFFF 01B0")
            server(sends: "09 15 2500 \(bytes(0..<19))")
        }.play()
    }

    @Test(
        "Read Using Characteristic UUID is refused",
        arguments: [
            (Refusal("GATT/SR/GAR/BI-06-C", .readNotPermitted), "02B0"),
            (Refusal("GATT/SR/GAR/BI-09-C", .insufficientAuthorization), "05B0"),
            (Refusal("GATT/SR/GAR/BI-10-C", .insufficientAuthentication), "04B0"),
            (Refusal("GATT/SR/GAR/BI-11-C", .encryptionKeySizeTooShort), "06B0"),
        ]
    )
    func readUsingUUIDRefused(_ refusal: Refusal, type: String) throws {
        try play(refusal, { _ in "08 0100 FFFF \(type)" }, opcode: "08")
    }

    @Test("GATT/SR/GAR/BI-07-C, BI-08-C: No attribute of the type, and an invalid range")
    func readUsingUUIDFindsNothing() {
        Dialogue(serving: .none) {
            client(sends: "08 0200 FFFF FFB1")
            server(sends: "01 08 0200 0A")
            client(sends: "08 0900 0800 00B0")
            server(sends: "01 08 0900 01")
            client(sends: "08 0000 FFFF 00B0")
            server(sends: "01 08 0000 01")
        }.play()
    }

    @Test(
        "A long value is read in parts, and the part at its end is empty",
        arguments: [
            ("GATT/SR/GAR/BV-04-C: Read Long Characteristic Value", "2500", 50),
            ("GATT/SR/GAR/BV-07-C: Read Long Characteristic Descriptor", "2600", 44),
        ]
    )
    func readLong(_ name: String, handle: String, count: Int) {
        Dialogue(serving: .none) {
            client(sends: "0A \(handle)")
            server(sends: "0B \(bytes(0..<22))")
            client(sends: "0C \(handle) 1600")
            server(sends: "0D \(bytes(22..<44))")
            client(sends: "0C \(handle) 2C00")
            server(sends: "0D \(bytes(44..<count))")
            client(sends: "0C \(handle) \([UInt8(count), 0].hexadecimal)")
            server(sends: "0D")
        }.play()
    }

    @Test(
        "Read Long Characteristic Value is refused",
        arguments: [
            Refusal("GATT/SR/GAR/BI-12-C", .readNotPermitted),
            Refusal("GATT/SR/GAR/BI-14-C", .invalidHandle),
            Refusal("GATT/SR/GAR/BI-15-C", .insufficientAuthorization),
            Refusal("GATT/SR/GAR/BI-16-C", .insufficientAuthentication),
            Refusal("GATT/SR/GAR/BI-17-C", .encryptionKeySizeTooShort),
        ]
    )
    func readLongRefused(_ refusal: Refusal) throws {
        try play(refusal, { "0C \($0) 0000" }, opcode: "0C")
    }

    @Test("GATT/SR/GAR/BI-13-C: Read Long Characteristic Value – Invalid Offset")
    func readLongPastEnd() {
        Dialogue(serving: .none) {
            client(sends: "0C 2500 3300")
            server(sends: "01 0C 2500 07")
            client(sends: "0C 2200 FFFF")
            server(sends: "01 0C 2200 07")
        }.play()
    }

    @Test("GATT/SR/GAR/BV-05-C: Read Multiple Characteristic Values")
    func readMultiple() {
        Dialogue(serving: .none) {
            client(sends: "0E 2200 6200 2200")
            server(sends: "0F 010203 0101 010203")
            client(sends: "0E 2200 2500")
            server(sends: "0F 010203 \(bytes(0..<19))")
            client(sends: "0E 2500 2200")
            server(sends: "0F \(bytes(0..<22))")
        }.play()
    }

    @Test(
        "Read Multiple names the first attribute that cannot be read",
        arguments: [
            Refusal("GATT/SR/GAR/BI-18-C", .readNotPermitted),
            Refusal("GATT/SR/GAR/BI-19-C", .invalidHandle),
            Refusal("GATT/SR/GAR/BI-20-C", .insufficientAuthorization),
            Refusal("GATT/SR/GAR/BI-21-C", .insufficientAuthentication),
            Refusal("GATT/SR/GAR/BI-22-C", .encryptionKeySizeTooShort),
        ]
    )
    func readMultipleRefused(_ refusal: Refusal) throws {
        try play(refusal, { "0E 2500 2200 \($0) F00F" }, opcode: "0E")
    }

    @Test("GATT/SR/GAR/BV-09-C: Read Multiple Variable Length Characteristic Values")
    func readMultipleVariable() {
        Dialogue(serving: .none) {
            client(sends: "20 2200 6200")
            server(sends: "21 0300 010203 0200 0101")
            client(sends: "20 2200 2500")
            server(sends: "21 0300 010203 3200 \(bytes(0..<15))")
            client(sends: "20 2500 2200")
            server(sends: "21 3200 \(bytes(0..<20))")
        }.play()
    }

    @Test(
        "Read Multiple Variable Length is refused",
        arguments: [
            Refusal("GATT/SR/GAR/BI-36-C", .readNotPermitted),
            Refusal("GATT/SR/GAR/BI-38-C", .invalidHandle),
            Refusal("GATT/SR/GAR/BI-40-C", .insufficientAuthorization),
            Refusal("GATT/SR/GAR/BI-42-C", .insufficientAuthentication),
            Refusal("GATT/SR/GAR/BI-44-C", .encryptionKeySizeTooShort),
        ]
    )
    func readMultipleVariableRefused(_ refusal: Refusal) throws {
        try play(refusal, { "20 2200 \($0)" }, opcode: "20")
    }

    @Test("GATT/SR/GAR/BV-06-C: Read Characteristic Descriptor")
    func readDescriptor() {
        Dialogue(serving: .none) {
            client(sends: "0A 2300")
            server(sends: "0B 6869")
            client(sends: "0A 3500")
            server(sends: "0B 0000")
        }.play()
    }

    @Test("GATT/SR/GAR/BV-08-C: Read Behind Long Characteristic Descriptor")
    func readDescriptorPastEnd() {
        Dialogue(serving: .none) {
            client(sends: "0C 2600 2D00")
            server(sends: "01 0C 2600 07")
            client(sends: "0C 2600 2C00")
            server(sends: "0D")
        }.play()
    }

    /// A value of three bytes, 0x0072, with two formats and their list.
    private static let formatted = GATT.ServiceDefinition(
        BluetoothUUID(0xA031),
        [
            .init(
                BluetoothUUID(0xB401),
                .read,
                value: .stored([1, 2, 3]),
                descriptors: [
                    .init(
                        GATT.AttributeType.characteristicPresentationFormat,
                        value: .stored(bytes("04 00 0027 01 0000"))
                    ),
                    .init(
                        GATT.AttributeType.characteristicPresentationFormat,
                        value: .stored(bytes("06 FE 2F27 01 0100"))
                    ),
                    .init(
                        GATT.AttributeType.characteristicAggregateFormat,
                        value: .stored(bytes("7300 7400"))
                    ),
                ]
            )
        ],
        handle: 0x0070
    )

    @Test("GATT/SR/GPA/BV-11-C, BV-12-C: Presentation formats and their list are served")
    func formats() {
        Dialogue(serving: .none) {
            application(publishes: Self.formatted)
            client(sends: "04 7300 7500")
            server(sends: "05 01 7300 0429 7400 0429 7500 0529")
            client(sends: "0A 7300")
            server(sends: "0B 04 00 0027 01 0000")
            client(sends: "0A 7400")
            server(sends: "0B 06 FE 2F27 01 0100")
            client(sends: "0A 7500")
            server(sends: "0B 7300 7400")
        }.play()
    }

    @Test(
        "The error of the application is the response",
        arguments: [
            Refusal("The lowest application error", ATT.ErrorCode(rawValue: 0x80)),
            Refusal("The highest application error", ATT.ErrorCode(rawValue: 0x9F)),
        ]
    )
    func applicationRefuses(_ refusal: Refusal) {
        Dialogue(serving: .none) {
            client(sends: "0A 3200")
            application(isAsked: .read(.client, 0x0032, offset: 0))
            application(answers: .failure(refusal.code))
            server(sends: "01 0A 3200 \(refusal.byte)")
        }.play()
    }

    // Vol 3, Part C, 12.1 and 12.2. The same applies to the values with which a client checks its
    // stored database (Vol 3, Part G, 2.5.2 and 7.3).
    @Test("A bonded client reads the name and appearance of the device before encryption")
    func readsDescriptionBeforeEncryption() {
        Dialogue(serving: .bonded) {
            client(sends: "08 0100 FFFF 002A")
            server(sends: "09 09 0300 4C616E79617264")
            client(sends: "0A 0300")
            server(sends: "0B 4C616E79617264")
            client(sends: "0A 0500")
            server(sends: "0B 0000")
            client(sends: "0A 1100")
            server(sends: "0B 00")
            client(sends: "0A 2200")
            server(sends: "01 0A 2200 0F")
            client(sends: "12 0D00 01")
            server(sends: "01 12 0D00 0F")
            link(isNow: .encrypted)
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }
}
