// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Attributes to publish")
struct MutableAttributeTests {
    private static func makeService() -> CBMutableService {
        let service = CBMutableService(type: CBUUID(string: "FEAA"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "2A19"),
                properties: [.read],
                value: nil,
                permissions: [.readable]
            )
        ]
        return service
    }

    @Test("An app sets the contents of a service")
    func composition() {
        let service = Self.makeService()
        let characteristic = service.characteristics?.first as? CBMutableCharacteristic
        #expect(characteristic?.service === service)
        #expect(characteristic?.value == nil)
        #expect(characteristic?.permissions == .readable)
        characteristic?.properties = [.read, .notify]
        characteristic?.permissions = [.readable, .writeable]
        characteristic?.value = Data([1])
        characteristic?.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Level")
        ]
        #expect(characteristic?.properties.rawValue == 0x12)
        #expect(characteristic?.permissions.rawValue == 3)
        #expect(characteristic?.value == Data([1]))
        #expect(characteristic?.descriptors?.first?.characteristic === characteristic)
        let other = CBMutableService(type: CBUUID(string: "FEAB"), primary: false)
        service.includedServices = [other]
        #expect(service.includedServices == [other])
        #expect(!other.isPrimary)
    }

    @Test("12.6 A UUID keeps the width in which the app made it")
    func width() {
        let long = CBUUID(string: "0000FEAA-0000-1000-8000-00805F9B34FB")
        #expect(CBMutableService(type: long, primary: true).uuid.data.count == 16)
    }

    @Test("11.1 The subscribed centrals are nil if there are none")
    func subscribers() {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "2A19"),
            properties: [.notify],
            value: nil,
            permissions: []
        )
        #expect(characteristic.subscribedCentrals == nil)
        let central = CBCentral(identity: UUID(), maximumUpdateValueLength: 20)
        characteristic.setSubscribedCentrals([central])
        #expect(characteristic.subscribedCentrals == [central])
        central.setMaximumUpdateValueLength(182)
        #expect(characteristic.subscribedCentrals?.first?.maximumUpdateValueLength == 182)
        characteristic.setSubscribedCentrals([])
        #expect(characteristic.subscribedCentrals == nil)
    }

    @Test("10.2 The app can set the value of a request")
    func request() {
        let central = CBCentral(identity: UUID(), maximumUpdateValueLength: 20)
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "2A19"),
            properties: [.read],
            value: nil,
            permissions: .readable
        )
        let request = CBATTRequest(
            from: central,
            for: characteristic,
            offset: 22,
            value: nil,
            requestID: nil
        )
        request.value = Data([7])
        #expect(request.value == Data([7]))
        #expect(request.offset == 22)
        #expect(request.central === central)
        #expect(request.characteristic === characteristic)
    }
}

@Suite("Channel objects")
struct ChannelObjectTests {
    @Test("A channel that the app makes has no peer, and PSM 0")
    func empty() {
        let channel = CBL2CAPChannel()
        #expect(channel.peer == nil)
        #expect(channel.psm == 0)
    }
}
