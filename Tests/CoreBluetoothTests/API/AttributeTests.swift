// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Discovered attributes")
struct AttributeTests {
    private func service() -> CBService {
        let origin = GATT.Service(
            uuid: BluetoothUUID(0x180F),
            isPrimary: true,
            handle: AttributeHandle(1),
            endHandle: AttributeHandle(9)
        )
        return CBService(origin, of: nil)
    }

    private func characteristic(of service: CBService?) -> CBCharacteristic {
        let origin = GATT.Characteristic(
            uuid: BluetoothUUID(0x2A19),
            handle: AttributeHandle(2),
            valueHandle: AttributeHandle(3),
            properties: [.read, .notify],
            endHandle: AttributeHandle(4)
        )
        return CBCharacteristic(origin, of: service)
    }

    private func descriptor(of characteristic: CBCharacteristic?) -> CBDescriptor {
        let origin = GATT.Descriptor(uuid: BluetoothUUID(0x2901), handle: AttributeHandle(4))
        return CBDescriptor(origin, of: characteristic)
    }

    @Test("6.1 Contents are nil before their discovery and an array after it")
    func discovery() {
        let service = self.service()
        #expect(service.characteristics == nil)
        #expect(service.includedServices == nil)
        service.setCharacteristics([])
        service.setIncludedServices([])
        #expect(service.characteristics == [])
        #expect(service.includedServices == [])
        let characteristic = self.characteristic(of: service)
        #expect(characteristic.descriptors == nil)
        #expect(characteristic.value == nil)
        #expect(!characteristic.isNotifying)
        characteristic.setDescriptors([])
        #expect(characteristic.descriptors == [])
    }

    @Test("Discovered objects show the UUID, isPrimary and properties")
    func content() {
        let service = self.service()
        #expect(service.isPrimary)
        #expect(service.uuid.uuidString == "180F")
        let characteristic = self.characteristic(of: service)
        #expect(characteristic.uuid == CBUUID(string: "2A19"))
        #expect(characteristic.properties == [.read, .notify])
        #expect(descriptor(of: characteristic).uuid.uuidString == "2901")
    }

    @Test("15.1.5 References to the containing objects are set and weak")
    func references() {
        var service: CBService? = self.service()
        var characteristic: CBCharacteristic? = self.characteristic(of: nil)
        let descriptor = self.descriptor(of: nil)
        characteristic?.setDescriptors([descriptor])
        service?.setCharacteristics(characteristic.map { [$0] })
        #expect(characteristic?.service === service)
        #expect(descriptor.characteristic === characteristic)
        #expect(service?.peripheral == nil)
        service = nil
        #expect(characteristic?.service == nil)
        characteristic = nil
        #expect(descriptor.characteristic == nil)
    }

    @Test("15.5 A discovered attribute has Apple's description")
    func descriptions() {
        let characteristic = self.characteristic(of: nil)
        let place = String(UInt(bitPattern: ObjectIdentifier(characteristic)), radix: 16)
        #expect(
            characteristic.description == "<CBCharacteristic: 0x\(place), UUID = 2A19, "
                + "properties = 0x12, value = (null), notifying = NO>"
        )
        characteristic.setValue(Data([0x06, 0x64]))
        characteristic.setNotifying(true)
        #expect(
            characteristic.description.hasSuffix(
                "value = {length = 2, bytes = 0x0664}, notifying = YES>"
            )
        )
        #expect(service().description.hasPrefix("<CBService: 0x"))
        #expect(service().description.hasSuffix(", isPrimary = YES, UUID = Battery>"))
        #expect(descriptor(of: nil).description.hasSuffix(", UUID = 2901, value = (null)>"))
    }

    @Test("15.5 A central and published attributes have Apple's descriptions")
    func publishedDescriptions() {
        let identifier = UUID()
        let central = CBCentral(identity: identifier, maximumUpdateValueLength: 182)
        let shownCentral =
            "<CBCentral: \(Misuse.address(central)) identifier = \(identifier.uuidString), MTU = 182>"
        #expect(central.description == shownCentral)
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FEAB"),
            properties: [.read, .write, .notify],
            value: nil,
            permissions: [.readable, .writeable]
        )
        let beginning =
            "<CBMutableCharacteristic: \(Misuse.address(characteristic)) UUID = FEAB, "
            + "Value = (null), Properties = 0x1A, Permissions = 0x3, Descriptors = (null), "
            + "SubscribedCentrals = "
        #expect(characteristic.description == beginning + "(\n)>")
        let service = CBMutableService(type: CBUUID(string: "FEAA"), primary: true)
        service.characteristics = [characteristic]
        #expect(
            service.description == "<CBMutableService: \(Misuse.address(service)) Primary = YES, "
                + "UUID = FEAA, Included Services = (null), Characteristics = (\n    \""
                + beginning + "(\\n)>\"\n)>"
        )
        characteristic.setSubscribedCentrals([central])
        #expect(characteristic.description == beginning + "(\n    \"\(shownCentral)\"\n)>")
    }

    @Test("6.6 Invalidating a service invalidates everything in it")
    func invalidation() {
        let service = self.service()
        let characteristic = self.characteristic(of: service)
        let descriptor = self.descriptor(of: characteristic)
        characteristic.setDescriptors([descriptor])
        service.setCharacteristics([characteristic])
        #expect(!descriptor.isInvalidated)
        service.invalidate()
        #expect(service.isInvalidated)
        #expect(characteristic.isInvalidated)
        #expect(descriptor.isInvalidated)
    }

    @Test("The state of an object can be read while other threads change it")
    func threads() async {
        let shared = LockedState((old: 0, new: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<1000 {
                        shared.change { $0 = ($0.new, $0.new + 1) }
                        let seen = shared.read { $0 }
                        #expect(seen.new == seen.old + 1)
                    }
                }
            }
        }
        #expect(shared.read(\.new) == 4000)
    }
}
