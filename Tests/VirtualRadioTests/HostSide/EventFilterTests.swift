// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Event masks") struct EventFilterTests {
    private static let link = ConnectionHandle(rawValue: 1)

    private static let connection = HCI.LEEnhancedConnectionCompleteV2(
        connection: HCI.LEEnhancedConnectionComplete(
            status: .success,
            connectionHandle: link,
            role: .central,
            peerAddress: HCI.PeerAddress(type: .randomIdentity, value: 0xC000_0000_0001),
            localPrivateAddress: HCI.BareAddress(value: 0),
            peerPrivateAddress: HCI.BareAddress(value: 0x4000_0000_0002),
            interval: HCI.ConnectionInterval(rawValue: 24),
            peripheralLatency: 0,
            supervisionTimeout: HCI.Timeout(rawValue: 100)
        ),
        advertisingHandle: 3,
        syncHandle: 0xFFFF
    )

    private static let disconnection = HCI.Event.disconnectionComplete(
        HCI.DisconnectionComplete(
            status: .success,
            connectionHandle: link,
            reason: .connectionTimeout
        )
    )
    private static let encryption = HCI.EncryptionChange(
        status: .success,
        connectionHandle: link,
        encryption: .on
    )

    /// Maskable events, with their bits of Set Event Mask.
    private static let general: [(HCI.Event, HCI.EventMask)] = [
        (disconnection, .disconnectionComplete),
        (.encryptionChange(encryption), .encryptionChange),
        (.hardwareError(HCI.HardwareError(code: 1)), .hardwareError),
        (.dataBufferOverflow(HCI.DataBufferOverflow(linkType: 1)), .dataBufferOverflow),
        (
            .encryptionKeyRefreshComplete(
                HCI.EncryptionKeyRefreshComplete(status: .success, connectionHandle: link)
            ), .encryptionKeyRefreshComplete
        ),
        (.scanTimeout, .leMeta),
    ]

    /// LE events, with their bits of LE Set Event Mask.
    private static let lowEnergy: [(HCI.Event, HCI.LEEventMask)] = [
        (.advertisingReports([]), .advertisingReport),
        (.extendedAdvertisingReports([]), .extendedAdvertisingReport),
        (.directedAdvertisingReports([]), .directedAdvertisingReport),
        (.scanTimeout, .scanTimeout),
        (.connectionComplete(HCI.LEConnectionComplete.sample), .connectionComplete),
    ]

    private func everything() -> EventFilter {
        var filter = EventFilter()
        filter.mask = HCI.EventMask(rawValue: .max)
        filter.page2 = HCI.EventMaskPage2(rawValue: .max)
        filter.leMask = HCI.LEEventMask(rawValue: .max)
        return filter
    }

    @Test("An event is withheld if and only if its bit is missing", arguments: general.indices)
    func generalMask(index: Int) {
        let (event, bit) = Self.general[index]
        var filter = everything()
        filter.page2 = []
        #expect(filter.filter(event) == event)
        filter.mask.remove(bit)
        #expect(filter.filter(event) == nil)
    }

    @Test("An LE event is withheld if and only if its bit is missing", arguments: lowEnergy.indices)
    func lowEnergyMask(index: Int) {
        let (event, bit) = Self.lowEnergy[index]
        var filter = everything()
        #expect(filter.filter(event) == event)
        filter.leMask.remove(bit)
        #expect(filter.filter(event) == nil)
        filter.leMask = bit
        #expect(filter.filter(event) == event)
    }

    @Test("The second page of the mask withholds its event") func page2() {
        let event = HCI.Event.authenticatedPayloadTimeoutExpired(
            HCI.AuthenticatedPayloadTimeoutExpired(connectionHandle: Self.link)
        )
        var filter = EventFilter()
        #expect(filter.filter(event) == nil)
        filter.page2 = [.authenticatedPayloadTimeoutExpired]
        #expect(filter.filter(event) == event)
    }

    @Test("Answers and completed packets are never withheld") func never() {
        var filter = EventFilter()
        filter.mask = []
        filter.leMask = []
        let completed = HCI.NumberOfCompletedPackets(completed: [])
        for event in [
            .completed(.reset, [0]), .begun(.disconnect, .success),
            .numberOfCompletedPackets(completed),
        ] as [HCI.Event] {
            #expect(filter.filter(event) == event)
        }
    }

    @Test("After power-on, a disconnection passes, and LE events are withheld") func defaults() {
        let filter = EventFilter()
        #expect(filter.filter(Self.disconnection) == Self.disconnection)
        #expect(filter.filter(.advertisingReports([])) == nil)
        #expect(filter.leMask.rawValue == 0x1F)
    }

    @Test("The newest version of Connection Complete that is not masked is sent") func versions() {
        var filter = everything()
        let event = HCI.Event.enhancedConnectionCompleteV2(Self.connection)
        #expect(filter.filter(event) == event)
        filter.leMask.remove(.enhancedConnectionCompleteV2)
        #expect(filter.filter(event) == .enhancedConnectionComplete(Self.connection.connection))
        filter.leMask.remove(.enhancedConnectionComplete)
        guard case .connectionComplete(let plain) = filter.filter(event) else {
            Issue.record("The event has another version")
            return
        }
        #expect(plain.peerAddress == HCI.PeerAddress(type: .random, value: 0xC000_0000_0001))
        #expect(plain.interval.rawValue == 24)
        filter.leMask.remove(.connectionComplete)
        #expect(filter.filter(event) == nil)
        filter.leMask = HCI.LEEventMask(rawValue: .max)
        filter.mask.remove(.leMeta)
        #expect(filter.filter(event) == nil)
    }

    @Test("The version of Encryption Change with the key size is sent if not masked")
    func encryptionVersions() {
        let event = HCI.Event.encryptionChange(Self.encryption)
        let newer = HCI.EncryptionChangeV2(
            status: .success,
            connectionHandle: Self.link,
            encryption: .on,
            keySize: 16
        )
        #expect(everything().filter(event) == .encryptionChangeV2(newer))
    }

    @Test("Commands set the masks, and Reset restores the defaults") func commands() throws {
        let world = World(seed: 1)
        let host = try RawHost(world)
        func emitted() -> Int {
            host.forget()
            world.core.ether.emit(.advertisingReports([]), to: host.id.radio)
            world.core.ether.emit(.hardwareError(HCI.HardwareError(code: 9)), to: host.id.radio)
            host.send(HCI.LERand())
            return host.events.count - 1
        }
        #expect(emitted() == 1)
        host.send(HCI.SetEventMask(mask: [.leMeta]))
        #expect(emitted() == 1)
        host.send(HCI.SetEventMask(mask: [.leMeta, .hardwareError]))
        #expect(emitted() == 2)
        host.send(HCI.LESetEventMask(mask: [.connectionComplete]))
        #expect(emitted() == 1)
        host.send(HCI.SetEventMaskPage2(mask: [.authenticatedPayloadTimeoutExpired]))
        host.send(HCI.Reset())
        #expect(emitted() == 1)
        #expect(world.core.ether.ports[host.id.radio.index].filter.page2 == [])
    }
}

extension HCI.LEConnectionComplete {
    fileprivate static let sample = HCI.LEConnectionComplete(
        status: .success,
        connectionHandle: ConnectionHandle(rawValue: 1),
        role: .central,
        peerAddress: .none,
        interval: HCI.ConnectionInterval(rawValue: 6),
        peripheralLatency: 0,
        supervisionTimeout: HCI.Timeout(rawValue: 100)
    )
}
