// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Values of descriptors")
struct DescriptorValueTests {
    private func descriptor(_ number: UInt16, _ bytes: [UInt8]) -> CBDescriptor {
        let descriptor = CBDescriptor(
            GATT.Descriptor(uuid: BluetoothUUID(number), handle: AttributeHandle(9)),
            of: nil
        )
        #expect(descriptor.value == nil)
        descriptor.setValue(bytes: Data(bytes))
        return descriptor
    }

    @Test(
        "7.13 The values of 2900, 2902 and 2903 are numbers",
        arguments: [0x2900, 0x2902, 0x2903] as [UInt16]
    )
    func numbers(number: UInt16) {
        #expect(descriptor(number, [0x02, 0x01]).value as? NSNumber == 0x0102)
        #expect(descriptor(number, [0x01]).value as? NSNumber == 1)
        #expect(descriptor(number, []).value as? NSNumber == 0)
        #expect(descriptor(number, [1, 0, 9, 9]).value as? NSNumber == 1)
    }

    @Test("7.13 The value of 2901 is a string")
    func text() {
        #expect(descriptor(0x2901, Array("Wärme".utf8)).value as? String == "Wärme")
        #expect(descriptor(0x2901, []).value as? String == "")
        #expect(descriptor(0x2901, [0x41, 0xFF]).value as? String == "A\u{FFFD}")
    }

    @Test(
        "7.13 The values of 2904 and all other descriptors are data",
        arguments: [0x2904, 0x2905, 0x2906, 0x2910, 0xFEAA] as [UInt16]
    )
    func data(number: UInt16) {
        #expect(descriptor(number, [4, 0, 1]).value as? Data == Data([4, 0, 1]))
    }

    @Test("9.3 2901 and 2904 can be published with a value of their type")
    func published() {
        let text = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Wärme")
        #expect(text.value as? String == "Wärme")
        let format = CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data(count: 7))
        #expect(format.value as? Data == Data(count: 7))
        #expect(DescriptorValue.bytes(of: text.uuid.value, value: "é") == [0xC3, 0xA9])
        #expect(DescriptorValue.bytes(of: format.uuid.value, value: Data([1, 2])) == [1, 2])
    }

    @Test("9.3 Making another descriptor, or one with a wrong value, ends the program")
    func unpublished() async {
        await #expect(processExitsWith: .failure) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2902"), value: NSNumber(value: 0))
        }
        await #expect(processExitsWith: .failure) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2901"), value: Data([1]))
        }
        await #expect(processExitsWith: .failure) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2904"), value: nil)
        }
    }
}
