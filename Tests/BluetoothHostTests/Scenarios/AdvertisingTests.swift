// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Advertising and incoming connections")
struct AdvertisingTests {
    static let lamp = Advertising(
        AdvertisingContent(localName: "Lamp", serviceUUIDs: [BluetoothUUID(0x1815)])
    )
    static let phone = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)

    @Test("The requested content is advertised", arguments: [ModelProfile.rich, .poor])
    func onTheAir(_ profile: ModelProfile) throws {
        var harness = Harness.ready(profile)
        let id = harness.advertise(Self.lamp)
        harness.drive()
        guard case .advertising(let layout) = try harness.answer(id) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(layout.omissions.isEmpty)
        let set = try #require(harness.controller.setsOnAir.first)
        #expect(AdvertisingData(set.data).localName == "Lamp")
        #expect(set.isConnectable)
        #expect(set.address == (profile.name == "rich" ? harness.core.ownAddress : nil))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("An incoming connection is reported at once, without an MTU exchange")
    func incoming() throws {
        var harness = Harness.ready(peers: [ModelPeer(7)])
        _ = harness.advertise(Self.lamp)
        harness.drive()
        let phone = ModelPeer(7).address
        harness.controller.acceptConnection(from: phone)
        harness.drive()
        let link = try #require(harness.incomingLinks.first)
        #expect(link.peer == phone)
        #expect(harness.core.properties(of: link.link)?.role == .peripheral)
        #expect(harness.controller.peers[phone]?.server.received.isEmpty == true)
        #expect(harness.controller.commands.contains(.leSetDataLength))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The PHY of a link is known if the set was advertised on another PHY")
    func fastPHY() throws {
        var harness = Harness.ready()
        harness.controller.phy = .le2M
        var advertising = Self.lamp
        advertising.form = .extended
        advertising.secondaryPHY = .le2M
        _ = harness.advertise(advertising)
        harness.drive()
        harness.controller.acceptConnection(from: Self.phone)
        harness.drive()
        let link = try #require(harness.incomingLinks.first).link
        let phy = harness.core.properties(of: link)?.phy
        #expect(phy == LinkPHY(transmit: .le2M, receive: .le2M))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Advertising continues after a connection", arguments: [ModelProfile.rich, .poor])
    func goesOn(_ profile: ModelProfile) throws {
        var harness = Harness.ready(profile)
        _ = harness.advertise(Self.lamp)
        harness.drive()
        for number in 1...3 {
            harness.controller.acceptConnection(from: ModelPeer(number).address)
            harness.drive()
            #expect(harness.controller.setsOnAir.count == 1)
        }
        #expect(harness.incomingLinks.count == 3)
        #expect(harness.controller.links.count == 3)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Advertising resumes when a link ends if the controller had no free link")
    func linkLimit() throws {
        var profile = ModelProfile.rich
        profile.linkLimit = 2
        var harness = Harness.ready(profile)
        let set = harness.advertise(Self.lamp)
        harness.drive()
        for number in 1...2 {
            harness.controller.acceptConnection(from: ModelPeer(number).address)
            harness.drive()
        }
        #expect(harness.controller.setsOnAir.isEmpty)
        #expect(harness.advertisingEnds[set] == nil)
        harness.controller.dropLink(to: ModelPeer(1).address, .remoteUserTerminatedConnection)
        harness.drive()
        #expect(harness.controller.setsOnAir.count == 1)
    }

    @Test("A connection that arrives after advertising was stopped is ended")
    func unwelcome() throws {
        var harness = Harness.ready()
        let set = harness.advertise(Self.lamp)
        harness.drive()
        // The connection is made before the controller receives the request to stop.
        harness.controller.acceptConnection(from: ModelPeer(1).address)
        harness.core.stopAdvertising(set, now: harness.now)
        harness.drive()
        #expect(harness.incomingLinks.isEmpty)
        #expect(harness.controller.links.isEmpty)
        #expect(harness.advertisingEnds[set] == [.stopped])
        #expect(harness.controller.setsOnAir.isEmpty)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Advertising resumes after a reset of the controller")
    func reset() throws {
        var harness = Harness.ready()
        let set = harness.advertise(Self.lamp)
        harness.drive()
        harness.controller.restart()
        harness.drive()
        #expect(harness.core.state == .ready)
        #expect(harness.controller.setsOnAir.count == 1)
        #expect(harness.advertisingEnds[set] == nil)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "Advertising, scanning and connecting continue at the same time",
        arguments: [
            ModelProfile.rich, .poor,
        ]
    )
    func together(_ profile: ModelProfile) throws {
        var harness = Harness.ready(profile, peers: [ModelPeer(1)])
        _ = harness.advertise(Self.lamp)
        let scan = harness.scan()
        harness.drive()
        #expect(harness.advertisements.contains { $0.scan == scan })
        let link = try harness.connect(ModelPeer(1).address)
        harness.controller.acceptConnection(from: Self.phone)
        harness.drive()
        #expect(harness.core.properties(of: link)?.role == .central)
        #expect(harness.incomingLinks.count == 1)
        #expect(harness.controller.isScanning)
        #expect(harness.controller.setsOnAir.count == 1)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A second set requires a controller with advertising sets")
    func sets() throws {
        var rich = Harness.ready()
        let first = rich.advertise(Self.lamp)
        let second = rich.advertise(Advertising(kind: .nonConnectable))
        rich.drive()
        _ = try rich.answer(first)
        _ = try rich.answer(second)
        #expect(rich.controller.setsOnAir.count == 2)

        var poor = Harness.ready(.poor)
        _ = poor.advertise(Self.lamp)
        let refused = poor.advertise(Advertising(kind: .nonConnectable))
        poor.drive()
        guard case .failure(let error)? = poor.result(refused) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(error as? AdvertisingError == .tooManySets(limit: 1))
        #expect(poor.controller.setsOnAir.count == 1)
    }

    @Test("A host that is shut down stops advertising")
    func shutdown() throws {
        var harness = Harness.ready()
        let set = harness.advertise(Self.lamp)
        harness.drive()
        harness.core.shutDown(now: harness.now)
        harness.drive()
        #expect(harness.core.state == .closed)
        #expect(harness.advertisingEnds[set] == [.closed])
        #expect(harness.controller.setsOnAir.isEmpty)
    }
}
