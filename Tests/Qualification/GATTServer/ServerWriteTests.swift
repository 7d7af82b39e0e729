// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// GATT/SR/GAW: writing to the sample database without prepared writes.
@Suite struct ServerWriteTests {
    /// For each error code, an encoded handle and a link on which a request with the handle gets
    /// the error.
    static let refusals: [(code: ATT.ErrorCode, handle: String, link: LinkSecurity)] = [
        (.writeNotPermitted, "3900", .encrypted),
        (.invalidHandle, "FF0F", .encrypted),
        (.insufficientAuthorization, "2E00", .encrypted),
        (.insufficientAuthentication, "2C00", .encrypted),
        (.encryptionKeySizeTooShort, "3000", .shortKey),
    ]

    @Test("GATT/SR/GAW/BV-01-C: Write without Response")
    func writeWithoutResponse() {
        Dialogue(serving: .none) {
            client(sends: "52 2200 0908")
            application(receives: .written([.init(handle: 0x0022, value: [9, 8])]))
            client(sends: "0A 2200")
            server(sends: "0B 0908")
        }.play()
    }

    @Test(
        "A command without permission is not reported to the application",
        arguments: ["3900", "FF0F", "2A00", "2C00", "2E00", "3000", "3700"]
    )
    func writeWithoutResponseRefused(handle: String) {
        Dialogue(serving: .none) {
            client(sends: "52 \(handle) 0908")
            client(sends: "52 2200 \(bytes(0..<21).prefix(40))")
            application(receives: .written([.init(handle: 0x0022, value: Array(0..<20))]))
        }.play()
    }

    @Test("GATT/SR/GAW/BV-03-C: Write Characteristic Value")
    func write() {
        Dialogue(serving: .none) {
            client(sends: "12 2200 04050607")
            server(sends: "13")
            application(receives: .written([.init(handle: 0x0022, value: [4, 5, 6, 7])]))
            client(sends: "0A 2200")
            server(sends: "0B 04050607")
            client(sends: "12 2200")
            server(sends: "13")
            application(receives: .written([.init(handle: 0x0022, value: [])]))
            client(sends: "0A 2200")
            server(sends: "0B")
        }.play()
    }

    @Test(
        "Write Characteristic Value is refused",
        arguments: [
            Refusal("GATT/SR/GAW/BI-02-C", .invalidHandle),
            Refusal("GATT/SR/GAW/BI-03-C", .writeNotPermitted),
            Refusal("GATT/SR/GAW/BI-04-C", .insufficientAuthorization),
            Refusal("GATT/SR/GAW/BI-05-C", .insufficientAuthentication),
            Refusal("GATT/SR/GAW/BI-06-C", .encryptionKeySizeTooShort),
        ]
    )
    func writeRefused(_ refusal: Refusal) throws {
        let place = try #require(Self.refusals.first { $0.code == refusal.code })
        Dialogue(serving: place.link) {
            client(sends: "12 \(place.handle) 010203")
            server(sends: "01 12 \(place.handle) \(refusal.byte)")
        }.play()
    }

    @Test("GATT/SR/GAW/BI-32-C: Write Characteristic Value – Invalid Attribute Value Length")
    func writeTooLong() {
        Dialogue(serving: .none, mtu: 64) {
            client(sends: "12 2200 \(bytes(0..<21))")
            server(sends: "01 12 2200 0D")
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }

    @Test("GATT/SR/GAW/BI-39-C: Write without Response – Attribute Value Length Too Long")
    func writeWithoutResponseTooLong() {
        Dialogue(serving: .none, mtu: 64) {
            client(sends: "52 2200 \(bytes(0..<21))")
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }

    @Test("GATT/SR/GAW/BV-08-C: Write Characteristic Descriptor")
    func writeDescriptor() {
        Dialogue(serving: .none) {
            client(sends: "12 2300 4142")
            server(sends: "13")
            application(receives: .written([.init(handle: 0x0023, value: [0x41, 0x42])]))
            client(sends: "12 FF0F 4142")
            server(sends: "01 12 FF0F 01")
            client(sends: "12 2600 4142")
            server(sends: "01 12 2600 03")
        }.play()
    }

    @Test("A Write Request for a value of the application gets its answer, and a command gets none")
    func writeDynamic() {
        let entry = GATT.WriteEntry(handle: 0x0032, value: [1, 2])
        Dialogue(serving: .none) {
            client(sends: "12 3200 0102")
            application(isAsked: .write(.client, [entry], needsAnswer: true))
            application(answers: .success([]))
            server(sends: "13")
            client(sends: "12 3200 0102")
            application(isAsked: .write(.client, [entry], needsAnswer: true))
            application(answers: .failure(.valueNotAllowed))
            server(sends: "01 12 3200 13")
            client(sends: "52 3200 0102")
            application(isAsked: .write(.client, [entry], needsAnswer: false))
        }.play()
    }

    @Test("GATT/SR/GAW/BI-01-C: A signed command is ignored if there is no key to verify it")
    func ignoresSignatures() {
        Dialogue(serving: .none) {
            client(sends: "D2 3700 01 000000000102030405060708")
            client(sends: "12 3700 01")
            server(sends: "01 12 3700 05")
            client(sends: "0A 3700")
            server(sends: "01 0A 3700 02")
        }.play()
    }

    @Test("On an encrypted link, a signed command is ignored and an unsigned command is accepted")
    func needsNoSignature() {
        Dialogue(serving: .encrypted) {
            client(sends: "D2 3700 01 000000000102030405060708")
            client(sends: "52 3700 05")
            application(receives: .written([.init(handle: 0x0037, value: [5])]))
        }.play()
    }
}
