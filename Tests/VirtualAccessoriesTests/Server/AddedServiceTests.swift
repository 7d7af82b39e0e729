// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@testable import VirtualAccessories

/// Services that are added while a client is connected, on the database of `TestProfile`.
@Suite struct AddedServiceTests {
    private var client = ServerClient()
    private let service = SimpleAccessoryProfile.Service(
        BluetoothUUID(0x180D),
        [.init(BluetoothUUID(0x2A38), .read, value: [1])]
    )

    @Test("GATT/SR/GAS/BV-01-C: A subscriber of Service Changed receives the handles")
    mutating func indication() {
        #expect(client.ask("12 0900 0200") == "13")
        client.publish(service)
        #expect(client.takePDU() == "1d080017001900")
        client.publish(service)
        #expect(client.takePDU() == nil)
        #expect(client.ask("1e") == "1d08001a001c00")
        #expect(client.ask("0a 1900") == "0b01")
    }

    @Test("The confirmation of a value does not confirm Service Changed")
    mutating func otherConfirmation() {
        #expect(client.ask("12 0900 0200") == "13")
        #expect(client.ask("12 1400 0200") == "13")
        let isSent = client.server.send([1], of: AttributeHandle(0x13))
        #expect(isSent)
        #expect(client.takePDU() == "1d130001")
        client.publish(service)
        #expect(client.ask("1e") == "1d080017001900")
        // The changes until the confirmation of the first one are one indication.
        client.publish(service)
        client.publish(service)
        #expect(client.ask("1e") == "1d08001a001f00")
    }

    @Test("A client without a subscription receives no indication")
    mutating func noSubscription() {
        client.publish(service)
        #expect(client.takePDU() == nil)
        #expect(client.ask("0a 1900") == "0b01")
    }

    @Test("An invalid service is not served")
    mutating func invalidService() {
        let description = GATT.DescriptorDefinition.userDescription("Twice")
        let wrong = SimpleAccessoryProfile.Service(
            BluetoothUUID(0x180D),
            [.init(BluetoothUUID(0x2A38), .read, descriptors: [description, description])]
        )
        let isServed = client.server.add(wrong)
        #expect(!isServed)
        #expect(client.ask("04 1700 ffff") == "010417000a")
    }

    @Test("A profile may describe Generic Access, and the database begins at the first handle")
    func ownGenericAccess() {
        let name = SimpleAccessoryProfile.Characteristic(
            BluetoothUUID(0x2A00),
            .read,
            value: Array("Own".utf8)
        )
        let profile = SimpleAccessoryProfile(
            name: "Other",
            services: [.init(BluetoothUUID(0x1800), [name])]
        )
        let server = AccessoryServer(profile)
        #expect(server.values[BluetoothUUID(0x2A00)] == Array("Own".utf8))
        let services = server.values.server.database.services
        #expect(services.map(\.uuid) == [BluetoothUUID(0x1801), BluetoothUUID(0x1800)])
        #expect(services.first?.handle == .first)
    }
}
