// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// GATT/CL/GAR: reading values and descriptors.
@Suite struct ReadTests {
    @Test(
        "A value is read",
        arguments: [
            "GATT/CL/GAR/BV-01-C: Read Characteristic Value",
            "GATT/CL/GAR/BV-06-C: Read Characteristic Descriptor",
        ]
    )
    func read(_ name: String) {
        Dialogue {
            application(asks: .read(0x0003))
            client(sends: "0A 0300")
            server(sends: "0B 010203")
            operation(endsWith: .success(.value([1, 2, 3])))
        }.play()
    }

    @Test(
        "Read Characteristic Value is refused",
        arguments: [
            Refusal("GATT/CL/GAR/BI-01-C", .invalidHandle),
            Refusal("GATT/CL/GAR/BI-02-C", .readNotPermitted),
            Refusal("GATT/CL/GAR/BI-03-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAR/BI-04-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAR/BI-05-C", .encryptionKeySizeTooShort),
            Refusal("GATT/CL/GAR/BI-35-C", .init(rawValue: 0x80)),
        ]
    )
    func readRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .read(0x0003))
            client(sends: "0A 0300")
            server(sends: "01 0A 0300 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x0003)))
        }.play()
    }

    @Test("GATT/CL/GAR/BV-03-C: Read Using Characteristic UUID of 16 bits")
    func readUsingUUID16() {
        Dialogue {
            application(asks: .readUsingUUID(0x2A0D, first: 0x0001, last: 0xFFFF))
            client(sends: "08 0100 FFFF 0D2A")
            server(sends: "09 05 0A00 010203")
            client(sends: "08 0B00 FFFF 0D2A")
            server(sends: "01 08 0B00 0A")
            operation(endsWith: .success(.values([.init(handle: 0x0A, value: [1, 2, 3])])))
        }.play()
    }

    @Test("GATT/CL/GAR/BV-03-C: Read Using Characteristic UUID of 128 bits")
    func readUsingUUID128() throws {
        let uuid = try #require(BluetoothUUID("00010203-0405-0607-0809-0A0B0C0D0E0F"))
        Dialogue {
            application(asks: .readUsingUUID(uuid, first: 0x0001, last: 0x000A))
            client(sends: "08 0100 0A00 0F0E0D0C0B0A0908 0706050403020100")
            server(sends: "09 03 0300 AA 0A00 BB")
            operation(
                endsWith: .success(
                    .values([
                        .init(handle: 0x03, value: [0xAA]), .init(handle: 0x0A, value: [0xBB]),
                    ])
                )
            )
        }.play()
    }

    @Test(
        "Read Using Characteristic UUID is refused",
        arguments: [
            Refusal("GATT/CL/GAR/BI-06-C", .readNotPermitted),
            Refusal("GATT/CL/GAR/BI-07-C", .attributeNotFound),
            Refusal("GATT/CL/GAR/BI-09-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAR/BI-10-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAR/BI-11-C", .encryptionKeySizeTooShort),
        ]
    )
    func readUsingUUIDRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .readUsingUUID(0x2A0D, first: 0x0001, last: 0xFFFF))
            client(sends: "08 0100 FFFF 0D2A")
            server(sends: "01 08 0B00 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x000B)))
        }.play()
    }

    @Test("GATT/CL/GAR/BV-05-C: Read Multiple Characteristic Values")
    func readMultiple() {
        Dialogue {
            application(asks: .readMultiple([0x0003, 0x0007]))
            client(sends: "0E 0300 0700")
            server(sends: "0F 010203")
            operation(endsWith: .success(.value([1, 2, 3])))
        }.play()
    }

    @Test(
        "Read Multiple Characteristic Values is refused",
        arguments: [
            Refusal("GATT/CL/GAR/BI-18-C", .readNotPermitted),
            Refusal("GATT/CL/GAR/BI-19-C", .invalidHandle),
            Refusal("GATT/CL/GAR/BI-20-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAR/BI-21-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAR/BI-22-C", .encryptionKeySizeTooShort),
        ]
    )
    func readMultipleRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .readMultiple([0x0003, 0x0007]))
            client(sends: "0E 0300 0700")
            server(sends: "01 0E 0700 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x0007)))
        }.play()
    }

    @Test("GATT/CL/GAR/BV-08-C: Read Multiple Variable Length Characteristic Values")
    func readMultipleVariable() {
        Dialogue {
            application(asks: .readMultipleVariable([0x0003, 0x0007, 0x0009]))
            client(sends: "20 0300 0700 0900")
            server(sends: "21 0200 0102 0000 0100 03")
            operation(
                endsWith: .success(
                    .values([
                        .init(handle: 0x03, value: [1, 2]), .init(handle: 0x07, value: []),
                        .init(handle: 0x09, value: [3]),
                    ])
                )
            )
        }.play()
    }

    @Test("A value whose end does not fit into a response with several values is truncated")
    func readMultipleVariableTruncated() {
        Dialogue {
            application(asks: .readMultipleVariable([0x0003, 0x0007, 0x0009]))
            client(sends: "20 0300 0700 0900")
            server(sends: "21 0200 0102 0500 0304")
            operation(
                endsWith: .success(
                    .values([
                        .init(handle: 0x03, value: [1, 2]),
                        .init(handle: 0x07, value: [3, 4], isTruncated: true),
                    ])
                )
            )
        }.play()
    }

    @Test(
        "Read Multiple Variable Length Characteristic Values is refused",
        arguments: [
            Refusal("GATT/CL/GAR/BI-36-C", .readNotPermitted),
            Refusal("GATT/CL/GAR/BI-38-C", .invalidHandle),
            Refusal("GATT/CL/GAR/BI-40-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAR/BI-42-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAR/BI-44-C", .encryptionKeySizeTooShort),
        ]
    )
    func readMultipleVariableRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .readMultipleVariable([0x0003, 0x0007]))
            client(sends: "20 0300 0700")
            server(sends: "01 20 0300 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x0003)))
        }.play()
    }

    @Test("GATT/CL/GAT/BV-01-C: Read Characteristic Value – Server Timeout")
    func readTimesOut() {
        Dialogue {
            application(asks: .read(0x0003))
            client(sends: "0A 0300")
            time(passes: .seconds(29))
            time(passes: .seconds(1))
            operation(endsWith: .failure(.timedOut))
            application(receives: .transactionTimedOut)
            application(asks: .read(0x0003))
            operation(endsWith: .failure(.bearerClosed))
        }.play()
    }

    @Test("GATT/CL/GAT/BV-03-C: Read Multiple Variable Length – Server Timeout")
    func readMultipleVariableTimesOut() {
        Dialogue {
            application(asks: .readMultipleVariable([0x0003, 0x0007]))
            client(sends: "20 0300 0700")
            time(passes: .seconds(30))
            operation(endsWith: .failure(.timedOut))
            application(receives: .transactionTimedOut)
        }.play()
    }
}
