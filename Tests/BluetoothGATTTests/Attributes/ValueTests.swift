// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Attribute values and failures")
struct ValueTests {
    @Test("Properties have their bits, and their names in the order of the bits")
    func properties() {
        let all = GATT.CharacteristicProperties(rawValue: 0xFF)
        #expect(
            all.names == [
                "broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate",
                "authenticatedSignedWrites", "extendedProperties",
            ]
        )
        #expect(GATT.CharacteristicProperties([.read, .notify]).rawValue == 0x12)
        #expect(GATT.CharacteristicProperties([.read, .notify]).description == "read, notify")
        #expect(GATT.CharacteristicProperties([]).description.isEmpty)
    }

    @Test("Descriptors follow the value up to the end of the characteristic")
    func descriptorHandles() {
        func characteristic(value: UInt16, end: UInt16) -> GATT.Characteristic {
            .init(
                uuid: .init(0x2A00),
                handle: .init(value - 1),
                valueHandle: .init(value),
                properties: .read,
                endHandle: .init(end)
            )
        }
        #expect(characteristic(value: 3, end: 3).descriptorHandles == nil)
        #expect(characteristic(value: 3, end: 4).descriptorHandles == .init(4) ... .init(4))
        #expect(characteristic(value: 3, end: 9).descriptorHandles == .init(4) ... .init(9))
        #expect(characteristic(value: 0xFFFF, end: 0xFFFF).descriptorHandles == nil)
    }

    @Test("A service returns the range of its handles")
    func serviceHandles() {
        let service = Accessory.services[1]
        #expect(service.handles == .init(16) ... .init(31))
    }

    @Test("A failure describes the error and the attribute")
    func failureText() {
        let refusal = GATT.Failure.attribute(.readNotPermitted, handle: .init(0x2A))
        #expect(refusal.description == "Read Not Permitted (attribute 0x002A)")
        #expect(GATT.Failure.valueTooLong(limit: 20).description.contains("20"))
    }

    @Test("Failures have different descriptions of one line")
    func failureDescriptions() {
        let failures: [GATT.Failure] = [
            .protocolViolation("reason"), .echoMismatch(handle: .init(1)), .tooManyAttributes,
            .timedOut, .bearerClosed, .queueFull, .invalidOperation("reason"), .cancelled,
        ]
        for failure in failures {
            #expect(!failure.description.isEmpty)
            #expect(!failure.description.contains("\n"))
        }
        #expect(Set(failures.map(\.description)).count == failures.count)
    }
}
