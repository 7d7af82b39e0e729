// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// GATT/CL/GAW: writing values and descriptors in one PDU. `SignedWriteTests` of the GATT tests
/// covers case BV-02, the signed write.
@Suite struct WriteTests {
    @Test("GATT/CL/GAW/BV-01-C: Write without Response")
    func writeWithoutResponse() {
        Dialogue {
            application(asks: .writeWithoutResponse(0x0007, [1, 2, 3]))
            client(sends: "52 0700 010203")
            operation(endsWith: .success(.done))
        }.play()
    }

    @Test(
        "A value is written",
        arguments: [
            "GATT/CL/GAW/BV-03-C: Write Characteristic Value",
            "GATT/CL/GAW/BV-08-C: Write Characteristic Descriptor",
        ]
    )
    func write(_ name: String) {
        Dialogue {
            application(asks: .write(0x0007, [1, 2, 3]))
            client(sends: "12 0700 010203")
            server(sends: "13")
            operation(endsWith: .success(.done))
        }.play()
    }

    @Test(
        "Write Characteristic Value is refused",
        arguments: [
            Refusal("GATT/CL/GAW/BI-02-C", .invalidHandle),
            Refusal("GATT/CL/GAW/BI-03-C", .writeNotPermitted),
            Refusal("GATT/CL/GAW/BI-04-C", .insufficientAuthorization),
            Refusal("GATT/CL/GAW/BI-05-C", .insufficientAuthentication),
            Refusal("GATT/CL/GAW/BI-06-C", .encryptionKeySizeTooShort),
        ]
    )
    func writeRefused(_ refusal: Refusal) {
        Dialogue {
            application(asks: .write(0x0007, [1, 2, 3]))
            client(sends: "12 0700 010203")
            server(sends: "01 12 0700 \(refusal.byte)")
            operation(endsWith: .failure(.attribute(refusal.code, handle: 0x0007)))
        }.play()
    }

    @Test("GATT/CL/GAT/BV-02-C: Write Characteristic Value – Server Timeout")
    func writeTimesOut() {
        Dialogue {
            application(asks: .write(0x0007, [1]))
            client(sends: "12 0700 01")
            time(passes: .seconds(30))
            operation(endsWith: .failure(.timedOut))
            application(receives: .transactionTimedOut)
        }.play()
    }
}
