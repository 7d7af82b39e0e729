// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualAccessories

/// Startup, advertising, and advertising again.
@Suite struct AccessoryStartTests {
    private func started(isOld: Bool = false) -> FakeController<SimpleAccessory> {
        var controller = FakeController(SimpleAccessory(TestProfile.profile), isOld: isOld)
        controller.powerOn()
        return controller
    }

    @Test("The accessory resets the controller and then advertises", arguments: [false, true])
    func start(isOld: Bool) {
        let opcodes = started(isOld: isOld).opcodes
        #expect(opcodes.first == .reset)
        #expect(opcodes.contains(.setEventMask))
        #expect(opcodes.contains(.leSetEventMask))
        let last: HCI.Opcode =
            isOld ? .leSetAdvertisingEnable : .leSetExtendedAdvertisingEnable
        #expect(opcodes.last == last)
    }

    @Test("An old controller receives legacy commands")
    func legacyCommands() throws {
        let controller = started(isOld: true)
        let parameters = try controller.command(HCI.LESetAdvertisingParameters.self)
        #expect(parameters.type == .connectableUndirected)
        #expect(parameters.ownAddressType == .public)
        #expect(parameters.intervalMinimum.duration == .milliseconds(100))
        let data = try controller.command(HCI.LESetAdvertisingData.self).data.bytes
        #expect(data == [2, 0x01, 0x06, 2, 0x09, 0x54, 3, 0x03, 0x0F, 0x18])
        let response = try controller.command(HCI.LESetScanResponseData.self).data.bytes
        #expect(response == [3, 0x19, 0x41, 0x03])
    }

    @Test("A new controller receives extended commands for legacy packets")
    func extendedCommands() throws {
        let controller = started()
        let parameters = try controller.command(HCI.LESetExtendedAdvertisingParameters.self)
        #expect(parameters.properties == [.legacy, .connectable, .scannable])
        #expect(parameters.intervalMinimum.duration == .milliseconds(100))
        let data = try controller.command(HCI.LESetExtendedAdvertisingData.self).data
        #expect(Array(data) == [2, 0x01, 0x06, 2, 0x09, 0x54, 3, 0x03, 0x0F, 0x18])
        #expect(!controller.opcodes.contains(.leSetAdvertisingParameters))
    }

    @Test("The random static address is the same on an old and on a new controller")
    func staticAddress() throws {
        var profile = TestProfile.profile
        profile.address = .randomStatic
        var addresses: Set<HCI.BareAddress> = []
        for isOld in [false, true] {
            var controller = FakeController(SimpleAccessory(profile), isOld: isOld)
            controller.powerOn()
            addresses.insert(
                isOld
                    ? try controller.command(HCI.LESetRandomAddress.self).address
                    : try controller.command(HCI.LESetAdvertisingSetRandomAddress.self).address
            )
        }
        let address = try #require(addresses.first)
        #expect(addresses.count == 1)
        #expect(DeviceAddress(value: address.value, kind: .random).randomKind == .static)
    }

    @Test("Services beyond the packet's limit make the list incomplete")
    func incompleteList() throws {
        var profile = TestProfile.profile
        profile.name = "Twelve chars"
        profile.advertisedServices = (0..<20).map { BluetoothUUID(0x1800 + $0) }
        var controller = FakeController(SimpleAccessory(profile), isOld: true)
        controller.powerOn()
        let bytes = try controller.command(HCI.LESetAdvertisingData.self).data.bytes
        let data = AdvertisingData(bytes)
        #expect(data.completeLocalName == "Twelve chars")
        #expect(bytes.count == 31)
        #expect(bytes[17...18] == [13, 0x02])
    }

    @Test("The accessory advertises again after a disconnection", arguments: [false, true])
    func disconnect(isOld: Bool) {
        var controller = started(isOld: isOld)
        controller.forget()
        controller.connect()
        #expect(controller.commands.isEmpty)
        for _ in 0..<3 {
            controller.forget()
            controller.disconnect()
            let enable: HCI.Opcode =
                isOld ? .leSetAdvertisingEnable : .leSetExtendedAdvertisingEnable
            #expect(controller.opcodes == [enable])
            controller.connect()
        }
    }

    @Test("The accessory advertises again after a failed connection")
    func failedConnection() {
        var controller = started()
        controller.forget()
        controller.emit(
            .connectionComplete(
                .init(
                    status: .advertisingTimeout,
                    connectionHandle: .init(rawValue: 0),
                    role: .peripheral,
                    peerAddress: .none,
                    interval: .init(rawValue: 0),
                    peripheralLatency: 0,
                    supervisionTimeout: .init(rawValue: 0)
                )
            )
        )
        #expect(controller.opcodes == [.leSetExtendedAdvertisingEnable])
    }

    @Test("A hardware error restarts the accessory")
    func hardwareError() {
        var controller = started()
        controller.connect()
        controller.forget()
        controller.emit(.hardwareError(.init(code: 1)))
        #expect(controller.opcodes.first == .reset)
        #expect(controller.opcodes.last == .leSetExtendedAdvertisingEnable)
    }

    @Test("Each start sends the same commands")
    func sameStart() {
        #expect(started().commands == started().commands)
    }
}
