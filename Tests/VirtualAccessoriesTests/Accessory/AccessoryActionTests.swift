// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualAccessories
import VirtualRadio

/// Actions that an accessory performs on command.
@Suite struct AccessoryActionTests {
    private static func started(
        _ profile: SimpleAccessoryProfile = TestProfile.profile,
        isOld: Bool = false
    ) -> FakeController<SimpleAccessory> {
        var controller = FakeController(SimpleAccessory(profile), isOld: isOld)
        controller.powerOn()
        controller.forget()
        return controller
    }

    @Test("A set value can be read and is not notified")
    func setValue() {
        var controller = Self.started()
        controller.connect()
        controller.send([0x12, 0x0D, 0x00, 0x01, 0x00])
        _ = controller.takePayloads()
        controller.perform(.setValue([42], of: BluetoothUUID(0x2A19)))
        #expect(controller.takePayloads() == [])
        controller.send([0x0A, 0x0C, 0x00])
        #expect(controller.takePayloads() == ["0b2a"])
    }

    @Test("A sent value reaches only subscribers")
    func sendValue() {
        var controller = Self.started()
        let news = AccessoryAction.send(
            .init(every: .zero, limit: 1) { _ in [7] },
            of: TestProfile.own[2]
        )
        controller.perform(news)
        controller.connect()
        controller.perform(news)
        #expect(controller.takePayloads() == [])
        controller.send([0x12, 0x14, 0x00, 0x01, 0x00])
        _ = controller.takePayloads()
        controller.perform(news)
        #expect(controller.takePayloads() == ["1b130007"])
    }

    @Test("Bytes for a value without a subscriber do not delay the bytes for another value")
    func sendBytes() {
        var controller = Self.started()
        controller.connect()
        controller.send([0x12, 0x14, 0x00, 0x01, 0x00])
        _ = controller.takePayloads()
        let dropped = [UInt8](repeating: 1, count: 200)
        controller.perform(.sendBytes(dropped, of: BluetoothUUID(0x2A19)))
        controller.perform(.sendBytes([9], of: TestProfile.own[2]))
        #expect(controller.takePayloads() == ["1b130009"])
    }

    @Test("Beyond 32 streams, the oldest stream ends")
    func streamLimit() {
        var controller = Self.started()
        controller.connect()
        controller.send([0x12, 0x14, 0x00, 0x01, 0x00])
        func send(_ number: UInt8, every period: Duration) {
            let stream = ValueStream(every: period) { _ in [number] }
            controller.perform(.send(stream, of: TestProfile.own[2]))
        }
        for number in 0..<32 as Range<UInt8> {
            send(number, every: .seconds(number == 0 ? 1 : 1_000))
        }
        _ = controller.takePayloads()
        // After its second value, the oldest stream is the last in turn.
        controller.wait(.seconds(1))
        #expect(controller.takePayloads() == ["1b130000"])
        send(32, every: .seconds(1_000))
        #expect(controller.takePayloads() == ["1b130020"])
        controller.wait(.seconds(5))
        #expect(controller.takePayloads() == [])
    }

    @Test("A removed service stays removed after a loss of power")
    func removeService() {
        var controller = Self.started()
        controller.perform(.removeServices(BluetoothUUID(0x180F)))
        controller.connect()
        controller.send([0x0A, 0x0C, 0x00])
        #expect(controller.takePayloads() == ["010a0c0001"])
        controller.powerOn()
        controller.connect()
        // Find By Type Value: there is no Battery Service.
        controller.send([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0F, 0x18])
        #expect(controller.takePayloads() == ["010601000a"])
        #expect(controller.host.profile.services.map(\.uuid) == [TestProfile.own[0]])
    }

    @Test("A service is removed together with the services that include it")
    func removeIncludedService() {
        func service(
            _ uuid: UInt16,
            including: [UInt16] = []
        ) -> SimpleAccessoryProfile.Service {
            .init(
                BluetoothUUID(uuid),
                [.init(BluetoothUUID(uuid + 1), .read, value: [7])],
                includes: including.map { BluetoothUUID($0) }
            )
        }
        var profile = TestProfile.profile
        profile.services = [
            service(0xA000), service(0xA010, including: [0xA000]), service(0xA020),
            service(0xA030, including: [0xA010]),
        ]
        var controller = Self.started(profile)
        for isRestarted in [false, true] {
            if isRestarted { controller.powerOn() }
            controller.perform(.removeServices(BluetoothUUID(0xA000)))
            #expect(controller.host.profile.services.map(\.uuid) == [BluetoothUUID(0xA020)])
            controller.connect()
            for (uuid, isLeft) in [(0x00, false), (0x10, false), (0x20, true), (0x30, false)]
                as [(UInt8, Bool)]
            {
                // Find By Type Value: the primary service with the UUID.
                controller.send([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, uuid, 0xA0])
                #expect(controller.takePayloads().first?.hasPrefix("07") == isLeft)
            }
        }
    }

    @Test("An added service is served")
    func addService() {
        var controller = Self.started()
        controller.perform(.removeServices(BluetoothUUID(0x180F)))
        controller.perform(
            .addService(
                .init(BluetoothUUID(0x180A), [.init(BluetoothUUID(0x2A29), .read, value: [1])])
            )
        )
        #expect(controller.host.profile.services.map(\.uuid).last == BluetoothUUID(0x180A))
        controller.perform(.setValue([9], of: BluetoothUUID(0x2A29)))
        controller.connect()
        // Read by type, at any handle.
        controller.send([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x29, 0x2A])
        #expect(controller.takePayloads().first?.hasSuffix("09") == true)
    }

    @Test("The changes of services that a write causes persist after a loss of power")
    func writtenServices() {
        let information = SimpleAccessoryProfile.Service(
            BluetoothUUID(0x180A),
            [.init(BluetoothUUID(0x2A29), .read, value: [7])]
        )
        let growing = WriteReaction { _, _ in
            .accepted([.addService(information), .removeServices(BluetoothUUID(0x180F))])
        }
        var profile = TestProfile.profile
        profile.services[1] = .init(
            TestProfile.own[0],
            [.init(TestProfile.own[3], .write, reaction: growing)]
        )
        var controller = Self.started(profile)
        controller.connect()
        controller.send([0x12, 0x10, 0x00, 0x01])
        #expect(controller.takePayloads() == ["13"])
        controller.powerOn()
        controller.connect()
        // Read by type, at any handle: the manufacturer's name exists, the battery level does not.
        controller.send([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x29, 0x2A])
        #expect(controller.takePayloads().first?.hasSuffix("07") == true)
        controller.send([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A])
        #expect(controller.takePayloads() == ["010801000a"])
    }

    @Test("The accessory pauses advertising to change its address", arguments: [false, true])
    func changeAddress(isOld: Bool) {
        var profile = TestProfile.profile
        profile.address = .randomStatic
        var controller = Self.started(profile, isOld: isOld)
        controller.perform(.changeAddress)
        let enable: HCI.Opcode = isOld ? .leSetAdvertisingEnable : .leSetExtendedAdvertisingEnable
        let change: HCI.Opcode = isOld ? .leSetRandomAddress : .leSetAdvertisingSetRandomAddress
        #expect(controller.opcodes == [enable, change, enable])
    }

    @Test("A connected accessory changes its address when it advertises again")
    func changeAddressLater() {
        var profile = TestProfile.profile
        profile.address = .randomStatic
        var controller = Self.started(profile)
        controller.connect()
        controller.perform(.changeAddress)
        #expect(controller.opcodes == [])
        controller.disconnect()
        #expect(
            controller.opcodes == [
                .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingEnable,
            ]
        )
    }

    @Test("A public address does not change")
    func publicAddress() {
        var controller = Self.started()
        controller.perform(.changeAddress)
        #expect(controller.opcodes == [])
    }

    @Test("A rotating address is a new private address each time")
    func rotatingAddress() throws {
        var profile = TestProfile.profile
        profile.address = .rotating(every: .seconds(60))
        var controller = FakeController(SimpleAccessory(profile))
        controller.powerOn()
        var addresses: [UInt64] = []
        for _ in 1...4 {
            let command = try controller.command(HCI.LESetAdvertisingSetRandomAddress.self)
            addresses.append(command.address.value)
            controller.forget()
            controller.wait(.seconds(60))
        }
        #expect(Set(addresses).count == 4)
        for address in addresses {
            #expect(DeviceAddress(value: address, kind: .random).randomKind == .resolvablePrivate)
        }
    }

    @Test("Only a host of the given type performs an action, and only if its controller has power")
    func performInWorld() throws {
        let world = World(seed: 1)
        let place = try world.addController(host: SimpleAccessory(TestProfile.profile))
        var calls = 0
        func perform() -> Bool {
            world.perform(at: place, as: SimpleAccessory.self) { accessory, now in
                calls += 1
                return accessory.perform(.disconnect, now: now)
            }
        }
        #expect(perform())
        #expect(!world.perform(at: place, as: Beacon.self) { _, _ in [] })
        world.switchOff(place)
        #expect(!perform())
        world.switchOn(place)
        #expect(perform())
        #expect(calls == 2)
    }
}

extension FakeController<SimpleAccessory> {
    /// Makes the accessory perform this action.
    mutating func perform(_ action: AccessoryAction) {
        act { $0.perform(action, now: $1) }
    }
}
