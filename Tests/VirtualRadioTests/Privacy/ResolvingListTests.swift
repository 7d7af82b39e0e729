// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// The resolving list as a host uses it (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
@Suite struct ResolvingListTests {
    let world = World(seed: 1)

    @Test("The size is the configured limit, up to 255", arguments: [1, 32, 255, 1000])
    func size(_ limit: Int) throws {
        let host = try makeHost(limit: limit)
        #expect(Int(try host.perform(HCI.LEReadResolvingListSize()).size) == min(limit, 255))
    }

    @Test("The list holds as many peers as its size")
    func isFull() throws {
        let host = try makeHost(limit: 2)
        try host.perform(PrivatePeer(1).adding)
        try host.perform(PrivatePeer(2).adding)
        #expect(try host.status(PrivatePeer(3).adding) == .memoryCapacityExceeded)
        try host.perform(PrivatePeer(1).removing)
        try host.perform(PrivatePeer(3).adding)
        try host.perform(HCI.LEClearResolvingList())
        try host.perform(PrivatePeer(1).adding)
        try host.perform(PrivatePeer(2).adding)
    }

    @Test("No two entries have the same identity or the same key")
    func refusesDuplicates() throws {
        let host = try makeHost()
        try host.perform(PrivatePeer(1).adding)
        #expect(try host.status(PrivatePeer(1).adding) == .invalidCommandParameters)
        let sameIdentity = try PrivatePeer(1, peerKey: 9).adding
        #expect(try host.status(sameIdentity) == .invalidCommandParameters)
        let sameKey = try PrivatePeer(2, peerKey: 1).adding
        #expect(try host.status(sameKey) == .invalidCommandParameters)
    }

    @Test("Many peers may have the zero key")
    func takesZeroKeys() throws {
        let host = try makeHost()
        for number in 1...4 { try host.perform(PrivatePeer(UInt8(number), peerKey: 0).adding) }
    }

    @Test("Public and random identities of the same bits are two peers")
    func tellsKindsApart() throws {
        let host = try makeHost()
        try host.perform(PrivatePeer(1).adding)
        var other = try PrivatePeer(1, peerKey: 2)
        other.identity = DeviceAddress(value: other.identity.value, kind: .public)
        try host.perform(other.adding)
    }

    @Test("Every command refuses an unlisted peer")
    func unknown() throws {
        let host = try makeHost()
        try host.setResolution(true)
        try host.perform(PrivatePeer(1).adding)
        let peer = try PrivatePeer(2)
        let identity = HCI.PeerAddress(peer.identity)
        #expect(try host.status(peer.removing) == .unknownConnectionIdentifier)
        let mode = HCI.LESetPrivacyMode(peerIdentity: identity, mode: .device)
        #expect(try host.status(mode) == .unknownConnectionIdentifier)
        #expect(throws: HCI.ErrorCode.unknownConnectionIdentifier) { try host.peerAddress(peer) }
        #expect(throws: HCI.ErrorCode.unknownConnectionIdentifier) { try host.localAddress(peer) }
    }

    @Test(
        "Address types other than public and random are refused",
        arguments: [0x02, 0x03, 0x04, 0xFE, 0xFF]
    )
    func refusesTypes(_ number: UInt8) throws {
        let host = try makeHost()
        let address = HCI.PeerAddress(type: HCI.AddressType(rawValue: number), value: 1)
        let key = try HCI.Key128.repeating(1)
        let adding = HCI.LEAddDeviceToResolvingList(
            peerIdentity: address,
            peerKey: key,
            localKey: key
        )
        let removing = HCI.LERemoveDeviceFromResolvingList(peerIdentity: address)
        let reading = HCI.LEReadPeerResolvableAddress(peerIdentity: address)
        let mode = HCI.LESetPrivacyMode(peerIdentity: address, mode: .device)
        #expect(try host.status(adding) == .invalidCommandParameters)
        #expect(try host.status(removing) == .invalidCommandParameters)
        #expect(try host.status(reading) == .invalidCommandParameters)
        #expect(try host.status(mode) == .invalidCommandParameters)
    }

    @Test("Only two privacy modes are accepted")
    func refusesModes() throws {
        let host = try makeHost()
        let peer = try PrivatePeer(1)
        try host.perform(peer.adding)
        for number in UInt8.min...UInt8.max {
            let command = HCI.LESetPrivacyMode(
                peerIdentity: HCI.PeerAddress(peer.identity),
                mode: HCI.PrivacyMode(rawValue: number)
            )
            let expected = number < 2 ? HCI.ErrorCode.success : .invalidCommandParameters
            #expect(try host.status(command) == expected)
        }
    }

    @Test(
        "The timeout of private addresses is one second to one hour",
        arguments: [(0, false), (1, true), (900, true), (0x0E10, true), (0x0E11, false)]
    )
    func timeoutRange(_ seconds: UInt16, _ isTaken: Bool) throws {
        let host = try makeHost()
        let command = HCI.LESetResolvablePrivateAddressTimeout(
            timeout: HCI.AddressTimeout(rawValue: seconds)
        )
        #expect(try host.status(command) == (isTaken ? .success : .invalidCommandParameters))
    }

    @Test("Reset clears the list and disables resolution")
    func isReset() throws {
        let host = try makeHost(limit: 1)
        try host.perform(PrivatePeer(1).adding)
        try host.setResolution(true)
        try host.perform(HCI.Reset())
        #expect(!host.controller.resolvingList.isEnabled)
        #expect(throws: HCI.ErrorCode.unknownConnectionIdentifier) {
            try host.localAddress(PrivatePeer(1))
        }
        world.runUntilIdle(bound: .seconds(3600))
        try host.perform(PrivatePeer(2).adding)
    }

    @Test("While a scan uses resolution, the list cannot change")
    func isHeldByScan() throws {
        let host = try makeHost()
        let peer = try PrivatePeer(1)
        try host.perform(peer.adding)
        try host.setResolution(true)
        try host.scan(policy: .unfiltered)
        for status in try changes(host, peer) { #expect(status == .commandDisallowed) }
        let enabling = HCI.LESetAddressResolutionEnable(isEnabled: false)
        #expect(try host.status(enabling) == .commandDisallowed)
        _ = try host.localAddress(peer)
        try host.stopScan()
        try host.setResolution(false)
    }

    @Test("Without resolution, a scan does not lock the list, but resolution stays off")
    func isNotHeldWhileOff() throws {
        let host = try makeHost()
        try host.scan(policy: .unfiltered)
        for status in try changes(host, try PrivatePeer(1)) { #expect(status == .success) }
        let enabling = HCI.LESetAddressResolutionEnable(isEnabled: true)
        #expect(try host.status(enabling) == .commandDisallowed)
        #expect(!host.controller.resolvingList.isEnabled)
    }

    /// Returns the status of each command that changes the list.
    private func changes(_ host: TestHost, _ peer: PrivatePeer) throws -> [HCI.ErrorCode] {
        let mode = HCI.LESetPrivacyMode(
            peerIdentity: HCI.PeerAddress(peer.identity),
            mode: .device
        )
        let clearing = HCI.LEClearResolvingList()
        return [
            try host.status(try PrivatePeer(0x55).adding),
            host.controller.resolvingList.isEnabled ? try host.status(peer.adding) : .success,
            host.controller.resolvingList.isEnabled ? try host.status(mode) : .success,
            try host.status(try PrivatePeer(0x55).removing), try host.status(clearing),
        ]
    }

    private func makeHost(limit: Int = 8) throws -> TestHost {
        var configuration = ControllerConfiguration()
        configuration.resolvingListLimit = limit
        return try TestHost(world, configuration)
    }
}
