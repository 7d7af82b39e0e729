// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualAccessories

/// An accessory on a link, with a controller that has few buffers.
@Suite struct AccessoryLinkTests {
    private var controller: FakeController<SimpleAccessory>

    init() {
        controller = FakeController(SimpleAccessory(TestProfile.profile), buffers: (27, 2))
        controller.powerOn()
        controller.connect()
        controller.forget()
    }

    @Test("The accessory answers a fragmented request in fragments")
    mutating func fragments() {
        controller.send([0x02, 0x00, 0x02], fragmentLength: 3)
        #expect(controller.takePayloads() == ["034000"])
        controller.send([0x0A, 0x10, 0x00], fragmentLength: 1)
        #expect(controller.data.count == 2)
        #expect(controller.data.map(\.boundary) == [.firstNonFlushable, .continuing])
        let value = TestProfile.long.hexadecimal
        #expect(controller.takePayloads() == ["0b" + value])
    }

    @Test("The accessory sends no more packets than the controller has buffers")
    mutating func bufferLimit() {
        controller.send([0x02, 0x00, 0x02])
        _ = controller.takePayloads()
        for _ in 0..<3 { controller.send([0x0A, 0x10, 0x00]) }
        #expect(controller.data.count == 2)
        controller.complete(1)
        #expect(controller.data.count == 3)
        controller.complete(2)
        #expect(controller.data.count == 5)
    }

    @Test("A subscription streams values until it ends")
    mutating func subscription() {
        controller.send([0x12, 0x0D, 0x00, 0x01, 0x00])
        #expect(controller.takePayloads() == ["13", "1b0c0000"])
        controller.wait(.seconds(2))
        #expect(controller.takePayloads() == ["1b0c0001", "1b0c0002"])
        controller.send([0x12, 0x0D, 0x00, 0x00, 0x00])
        #expect(controller.takePayloads() == ["13"])
        controller.wait(.seconds(5))
        #expect(controller.takePayloads() == [])
        #expect(controller.host.nextDeadline == nil)
    }

    @Test("A stream ends with its link")
    mutating func closedLink() {
        controller.send([0x12, 0x0D, 0x00, 0x01, 0x00])
        _ = controller.takePayloads()
        controller.disconnect()
        #expect(controller.host.nextDeadline == nil)
        controller.connect()
        controller.wait(.seconds(5))
        #expect(controller.takePayloads() == [])
        controller.send([0x0A, 0x0D, 0x00])
        #expect(controller.takePayloads() == ["0b0000"])
    }

    @Test("Notifications without an interval are sent at once")
    mutating func burst() {
        controller.send([0x12, 0x14, 0x00, 0x01, 0x00])
        #expect(controller.takePayloads() == ["13", "1b1300b0", "1b1300b1", "1b1300b2"])
        #expect(controller.host.nextDeadline == nil)
    }

    @Test("GATT/SR/GAI/BV-01-C: An indication waits for the confirmation of the previous one")
    mutating func indicationOrder() {
        controller.send([0x12, 0x14, 0x00, 0x02, 0x00])
        #expect(controller.takePayloads() == ["13", "1d1300b0"])
        controller.wait(.seconds(1))
        #expect(controller.takePayloads() == [])
        controller.send([0x1E])
        #expect(controller.takePayloads() == ["1d1300b1"])
        controller.send([0x1E])
        controller.send([0x1E])
        #expect(controller.takePayloads() == ["1d1300b2"])
        controller.send([0x1E])
        #expect(controller.takePayloads() == [])
    }

    @Test("GATT/SR/GAT/BV-01-C: A client that never confirms is disconnected after thirty seconds")
    mutating func confirmationTimeout() throws {
        controller.send([0x12, 0x14, 0x00, 0x02, 0x00])
        #expect(controller.takePayloads() == ["13", "1d1300b0"])
        controller.wait(.seconds(31))
        let disconnect = try controller.command(HCI.Disconnect.self)
        #expect(disconnect.reason == .remoteUserTerminatedConnection)
    }

    @Test("The accessory disconnects when a reaction requests it")
    mutating func disconnect() throws {
        controller.send([0x12, 0x16, 0x00, 0x01])
        #expect(controller.takePayloads() == ["13"])
        let disconnect = try controller.command(HCI.Disconnect.self)
        #expect(disconnect.connectionHandle == FakeController<SimpleAccessory>.handle)
        #expect(disconnect.reason == .remoteUserTerminatedConnection)
    }

    @Test("The accessory rejects a long-term key request without a bond")
    mutating func noKey() throws {
        let handle = FakeController<SimpleAccessory>.handle
        controller.emit(
            .longTermKeyRequest(
                .init(connectionHandle: handle, random: 0, encryptedDiversifier: 0)
            )
        )
        let reply = try controller.command(HCI.LELongTermKeyRequestNegativeReply.self)
        #expect(reply.connectionHandle == handle)
    }

    @Test("An accessory without pairing rejects a pairing request")
    mutating func noPairing() {
        controller.send([0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], on: .securityManager)
        let frames = controller.takeFrames()
        #expect(frames.map(\.channel) == [.securityManager])
        #expect(frames.map { Array($0.payload) } == [[0x05, 0x05]])
        controller.send([0x05, 0x08], on: .securityManager)
        #expect(controller.takeFrames() == [])
    }

    @Test("The accessory accepts the central's connection parameters")
    mutating func connectionParameters() throws {
        controller.emit(
            .remoteConnectionParameterRequest(
                .init(
                    connectionHandle: FakeController<SimpleAccessory>.handle,
                    intervalMinimum: .init(rawValue: 6),
                    intervalMaximum: .init(rawValue: 12),
                    peripheralLatency: 3,
                    supervisionTimeout: .init(rawValue: 200)
                )
            )
        )
        let reply = try controller.command(HCI.LERemoteConnectionParameterRequestReply.self)
        #expect(reply.parameters.intervalMaximum.rawValue == 12)
        #expect(reply.parameters.peripheralLatency == 3)
    }

    @Test("The accessory rejects an unknown signaling command")
    mutating func unknownSignal() {
        controller.send([0x14, 0x07, 0x00, 0x00], on: .signaling)
        #expect(controller.takePayloads() == ["0107020000" + "00"])
    }

    @Test("The accessory ignores packets without a link")
    mutating func noLink() {
        controller.disconnect()
        controller.forget()
        controller.send([0x0A, 0x0C, 0x00])
        #expect(controller.data.isEmpty)
    }

    @Test("The accessory queues a limited number of responses")
    mutating func flood() {
        for _ in 0..<1000 { controller.send([0x0A, 0x0C, 0x00]) }
        #expect(controller.takePayloads().count < 40)
        controller.send([0x0A, 0x0C, 0x00])
        #expect(controller.takePayloads() == ["0b57"])
    }

    @Test("Random packets do not stop the accessory", arguments: RunSeed.seeds(1))
    mutating func randomPackets(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            let channel: ChannelIdentifier = generator.happens(oneIn: 3) ? .signaling : .att
            controller.send(generator.bytes(upTo: 40) + [0], on: channel, fragmentLength: 27)
            if generator.happens(oneIn: 4) { _ = controller.takeFrames() }
            if generator.happens(oneIn: 50) { controller.wait(.milliseconds(500)) }
        }
    }
}
