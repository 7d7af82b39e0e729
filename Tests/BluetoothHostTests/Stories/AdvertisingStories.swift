// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Advertising and incoming connections")
struct AdvertisingStories {
    static let lamp = Advertising(
        AdvertisingContent(localName: "Lamp", serviceUUIDs: [BluetoothUUID(0x1815)])
    )
    static let phone = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)

    @Test("The requested content is advertised", arguments: [ModelProfile.rich, .poor])
    func onTheAir(_ profile: ModelProfile) throws {
        var bench = Bench.ready(profile)
        let id = bench.advertise(Self.lamp)
        bench.drive()
        guard case .advertising(let layout) = try bench.answer(id) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(layout.omissions.isEmpty)
        let set = try #require(bench.controller.setsOnAir.first)
        #expect(AdvertisingData(set.data).localName == "Lamp")
        #expect(set.isConnectable)
        #expect(set.address == (profile.name == "rich" ? bench.core.ownAddress : nil))
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("An incoming connection is reported at once, without an MTU exchange")
    func incoming() throws {
        var bench = Bench.ready(peers: [ModelPeer(7)])
        _ = bench.advertise(Self.lamp)
        bench.drive()
        let phone = ModelPeer(7).address
        bench.controller.acceptConnection(from: phone)
        bench.drive()
        let link = try #require(bench.incomingLinks.first)
        #expect(link.peer == phone)
        #expect(bench.core.properties(of: link.link)?.role == .peripheral)
        #expect(bench.controller.peers[phone]?.server.received.isEmpty == true)
        #expect(bench.controller.commands.contains(.leSetDataLength))
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Advertising continues after a connection", arguments: [ModelProfile.rich, .poor])
    func goesOn(_ profile: ModelProfile) throws {
        var bench = Bench.ready(profile)
        _ = bench.advertise(Self.lamp)
        bench.drive()
        for number in 1...3 {
            bench.controller.acceptConnection(from: ModelPeer(number).address)
            bench.drive()
            #expect(bench.controller.setsOnAir.count == 1)
        }
        #expect(bench.incomingLinks.count == 3)
        #expect(bench.controller.links.count == 3)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Advertising resumes when a link ends if the controller had no free link")
    func linkLimit() throws {
        var profile = ModelProfile.rich
        profile.linkLimit = 2
        var bench = Bench.ready(profile)
        let set = bench.advertise(Self.lamp)
        bench.drive()
        for number in 1...2 {
            bench.controller.acceptConnection(from: ModelPeer(number).address)
            bench.drive()
        }
        #expect(bench.controller.setsOnAir.isEmpty)
        #expect(bench.advertisingEnds[set] == nil)
        bench.controller.dropLink(to: ModelPeer(1).address, .remoteUserTerminatedConnection)
        bench.drive()
        #expect(bench.controller.setsOnAir.count == 1)
    }

    @Test("A connection that arrives after advertising was stopped is ended")
    func unwelcome() throws {
        var bench = Bench.ready()
        let set = bench.advertise(Self.lamp)
        bench.drive()
        // The connection crosses the request to stop.
        bench.controller.acceptConnection(from: ModelPeer(1).address)
        bench.core.stopAdvertising(set, now: bench.now)
        bench.drive()
        #expect(bench.incomingLinks.isEmpty)
        #expect(bench.controller.links.isEmpty)
        #expect(bench.advertisingEnds[set] == [.stopped])
        #expect(bench.controller.setsOnAir.isEmpty)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Advertising resumes after a reset of the controller")
    func reset() throws {
        var bench = Bench.ready()
        let set = bench.advertise(Self.lamp)
        bench.drive()
        bench.controller.restart()
        bench.drive()
        #expect(bench.core.state == .ready)
        #expect(bench.controller.setsOnAir.count == 1)
        #expect(bench.advertisingEnds[set] == nil)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test(
        "Advertising, scanning and connecting continue at the same time",
        arguments: [
            ModelProfile.rich, .poor,
        ]
    )
    func together(_ profile: ModelProfile) throws {
        var bench = Bench.ready(profile, peers: [ModelPeer(1)])
        _ = bench.advertise(Self.lamp)
        let scan = bench.scan()
        bench.drive()
        #expect(bench.sightings.contains { $0.scan == scan })
        let link = try bench.connect(ModelPeer(1).address)
        bench.controller.acceptConnection(from: Self.phone)
        bench.drive()
        #expect(bench.core.properties(of: link)?.role == .central)
        #expect(bench.incomingLinks.count == 1)
        #expect(bench.controller.isScanning)
        #expect(bench.controller.setsOnAir.count == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A second set requires a controller with advertising sets")
    func sets() throws {
        var rich = Bench.ready()
        let first = rich.advertise(Self.lamp)
        let second = rich.advertise(Advertising(kind: .nonConnectable))
        rich.drive()
        _ = try rich.answer(first)
        _ = try rich.answer(second)
        #expect(rich.controller.setsOnAir.count == 2)

        var poor = Bench.ready(.poor)
        _ = poor.advertise(Self.lamp)
        let refused = poor.advertise(Advertising(kind: .nonConnectable))
        poor.drive()
        guard case .failure(let error)? = poor.result(refused) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(error as? AdvertisingError == .tooManySets(limit: 1))
        #expect(poor.controller.setsOnAir.count == 1)
    }

    @Test("A host that is shut down stops advertising first")
    func shutdown() throws {
        var bench = Bench.ready()
        let set = bench.advertise(Self.lamp)
        bench.drive()
        bench.core.shutDown(now: bench.now)
        bench.drive()
        #expect(bench.core.state == .closed)
        #expect(bench.advertisingEnds[set] == [.closed])
        #expect(bench.controller.setsOnAir.isEmpty)
    }
}
