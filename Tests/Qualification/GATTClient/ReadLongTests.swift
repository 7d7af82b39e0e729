// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// GATT/CL/GAR, continued: reading values that do not fit into one PDU. The suite permits a Read
/// Request as the first request.
@Suite struct ReadLongTests {
    @Test(
        "A long value is read until a part is short",
        arguments: [
            "GATT/CL/GAR/BV-04-C: Read Long Characteristic Value",
            "GATT/CL/GAR/BV-07-C: Read Long Characteristic Descriptor",
        ]
    )
    func readLong(_ name: String) {
        Dialogue {
            application(asks: .readLong(0x0003))
            client(sends: "0A 0300")
            server(sends: "0B \(bytes(0..<22))")
            client(sends: "0C 0300 1600")
            server(sends: "0D \(bytes(22..<44))")
            client(sends: "0C 0300 2C00")
            server(sends: "0D \(bytes(44..<50))")
            operation(endsWith: .success(.value(Array(0..<50))))
        }.play()
    }

    @Test("A Device Name that does not fit into one response is read to its end")
    func longName() {
        Dialogue {
            application(asks: .readDeviceName)
            client(sends: "08 0100 FFFF 002A")
            server(sends: "09 15 0300 \(bytes(0..<19))")
            client(sends: "0C 0300 1300")
            server(sends: "0D \(bytes(19..<24))")
            operation(endsWith: .success(.value(Array(0..<24))))
        }.play()
    }

    @Test(
        "A Device Name that fills its response exactly ends with the next request",
        arguments: ["0D", "01 0C 0300 07", "01 0C 0300 0B"]
    )
    func nameOfFullResponse(_ end: String) {
        Dialogue {
            application(asks: .readDeviceName)
            client(sends: "08 0100 FFFF 002A")
            server(sends: "09 15 0300 \(bytes(0..<19))")
            client(sends: "0C 0300 1300")
            server(sends: end)
            operation(endsWith: .success(.value(Array(0..<19))))
        }.play()
    }

    @Test("GATT/CL/GAR/BV-04-C: Read Long Characteristic Value of the maximum length")
    func readLongest() {
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        Dialogue(receiveMTU: 512) {
            application(asks: .exchangeMTU)
            client(sends: "02 0002")
            server(sends: "03 0002")
            operation(endsWith: .success(.mtu(512)))
            application(asks: .readLong(0x0003))
            client(sends: "0A 0300")
            server(sends: "0B \(bytes(0..<511))")
            client(sends: "0C 0300 FF01")
            server(sends: "0D \(bytes(511..<512))")
            operation(endsWith: .success(.value(value)))
        }.play()
    }

    @Test(
        "A value that fills its PDUs exactly ends with the next request",
        arguments: ["0D", "01 0C 0300 07", "01 0C 0300 0B"]
    )
    func exactMultiple(_ end: String) {
        Dialogue {
            application(asks: .readLong(0x0003))
            client(sends: "0A 0300")
            server(sends: "0B \(bytes(0..<22))")
            client(sends: "0C 0300 1600")
            server(sends: end)
            operation(endsWith: .success(.value(Array(0..<22))))
        }.play()
    }

    @Test(
        "Read Long Characteristic Value is refused",
        arguments: [
            Refusal("GATT/CL/GAR/BI-12-C", .readNotPermitted),
            Refusal("GATT/CL/GAR/BI-13-C", .invalidOffset),
            Refusal("GATT/CL/GAR/BI-14-C", .invalidHandle),
            Refusal("GATT/CL/GAR/BI-15-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAR/BI-16-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAR/BI-17-C", .encryptionKeySizeTooShort),
        ]
    )
    func readLongRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .readLong(0x0003))
            client(sends: "0A 0300")
            server(sends: "01 0A 0300 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x0003)))
        }.play()
    }

    @Test(
        "Read Long Characteristic Value is refused after its first part",
        arguments: [
            Refusal("GATT/CL/GAR/BI-12-C", .readNotPermitted),
            Refusal("GATT/CL/GAR/BI-14-C", .invalidHandle),
            Refusal("GATT/CL/GAR/BI-15-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAR/BI-16-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAR/BI-17-C", .encryptionKeySizeTooShort),
        ]
    )
    func readBlobRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .readLong(0x0003))
            client(sends: "0A 0300")
            server(sends: "0B \(bytes(0..<22))")
            client(sends: "0C 0300 1600")
            server(sends: "01 0C 0300 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x0003)))
        }.play()
    }
}
