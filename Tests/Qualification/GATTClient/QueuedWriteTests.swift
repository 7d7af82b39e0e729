// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// GATT/CL/GAW, continued: writing with the server's queue of prepared writes.
@Suite struct QueuedWriteTests {
    @Test(
        "A long value is written in parts of MTU − 5 bytes",
        arguments: [
            "GATT/CL/GAW/BV-05-C: Write Long Characteristic Value",
            "GATT/CL/GAW/BV-09-C: Write Long Characteristic Descriptors",
        ]
    )
    func writeLong(_ name: String) {
        Dialogue {
            application(asks: .writeLong(0x0007, offset: 0, Array(0..<40)))
            client(sends: "16 0700 0000 \(bytes(0..<18))")
            server(sends: "17 0700 0000 \(bytes(0..<18))")
            client(sends: "16 0700 1200 \(bytes(18..<36))")
            server(sends: "17 0700 1200 \(bytes(18..<36))")
            client(sends: "16 0700 2400 \(bytes(36..<40))")
            server(sends: "17 0700 2400 \(bytes(36..<40))")
            client(sends: "18 01")
            server(sends: "19")
            operation(endsWith: .success(.done))
        }.play()
    }

    @Test(
        "Write Long Characteristic Value is refused",
        arguments: [
            Refusal("GATT/CL/GAW/BI-07-C", .invalidHandle),
            Refusal("GATT/CL/GAW/BI-08-C", .writeNotPermitted),
            Refusal("GATT/CL/GAW/BI-11-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAW/BI-12-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAW/BI-13-C", .encryptionKeySizeTooShort),
        ]
    )
    func writeLongRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .writeLong(0x0007, offset: 0, [1, 2, 3]))
            client(sends: "16 0700 0000 010203")
            server(sends: "01 16 0700 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x0007)))
        }.play()
    }

    @Test("GATT/CL/GAW/BI-09-C: Write Long Characteristic Value – Invalid Offset")
    func writeLongInvalidOffset() {
        Dialogue {
            application(asks: .writeLong(0x0007, offset: 0x0100, [1]))
            client(sends: "16 0700 0001 01")
            server(sends: "17 0700 0001 01")
            client(sends: "18 01")
            server(sends: "01 18 0700 07")
            operation(endsWith: .failure(.attribute(.invalidOffset, handle: 0x0007)))
        }.play()
    }

    @Test("GATT/CL/GAW/BV-06-C: Characteristic Value Reliable Write")
    func reliableWrite() {
        Dialogue {
            application(
                asks: .reliableWrite([
                    .init(handle: 0x07, value: [1, 2, 3]), .init(handle: 0x09, value: [4]),
                ])
            )
            client(sends: "16 0700 0000 010203")
            server(sends: "17 0700 0000 010203")
            client(sends: "16 0900 0000 04")
            server(sends: "17 0900 0000 04")
            client(sends: "18 01")
            server(sends: "19")
            operation(endsWith: .success(.done))
        }.play()
    }

    @Test("GATT/CL/GAW/BI-32-C: Cancel Reliable Write Characteristic")
    func reliableWriteMismatch() {
        Dialogue {
            application(asks: .reliableWrite([.init(handle: 0x07, value: [1, 2, 3])]))
            client(sends: "16 0700 0000 010203")
            server(sends: "17 0700 0000 010204")
            client(sends: "18 00")
            server(sends: "19")
            operation(endsWith: .failure(.echoMismatch(handle: 0x0007)))
        }.play()
    }

    @Test("A part that is refused cancels the parts before it")
    func laterPartRefused() {
        Dialogue {
            application(asks: .writeLong(0x0007, offset: 0, Array(0..<20)))
            client(sends: "16 0700 0000 \(bytes(0..<18))")
            server(sends: "17 0700 0000 \(bytes(0..<18))")
            client(sends: "16 0700 1200 1213")
            server(sends: "01 16 0700 09")
            client(sends: "18 00")
            server(sends: "19")
            operation(endsWith: .failure(.attribute(.prepareQueueFull, handle: 0x0007)))
        }.play()
    }

    @Test("A long write that is canceled cancels its prepared parts")
    func canceledWrite() {
        Dialogue {
            application(asks: .writeLong(0x0007, offset: 0, Array(0..<40)))
            client(sends: "16 0700 0000 \(bytes(0..<18))")
            applicationCancels()
            operation(endsWith: .failure(.cancelled))
            server(sends: "17 0700 0000 \(bytes(0..<18))")
            client(sends: "18 00")
            server(sends: "19")
        }.play()
    }
}
