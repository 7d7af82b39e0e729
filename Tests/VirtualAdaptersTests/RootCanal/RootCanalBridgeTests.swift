// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

@testable import VirtualAdapters

@Suite("The bridge to RootCanal")
struct RootCanalBridgeTests {
    private typealias Content = RootCanalPacket.Content

    private let world = BridgedWorld()
    private let peripheral = RemoteDevice.peripheral
    private let central = RemoteDevice.central

    private var advertisement: Content {
        .advertisement(type: .undirected, own: .random, target: .public, data: [2, 1, 6])
    }
    private let parameters = RootCanalPacket.ConnectionParameters(
        initiator: .public,
        advertiser: .random,
        interval: 24,
        latency: 0,
        timeout: 400
    )

    /// Lets the peripheral, or another one, advertise every 20 ms.
    private func advertise(for count: Int = 10, from other: RemoteDevice? = nil) {
        for _ in 0..<count {
            (other ?? peripheral).send(advertisement, in: world)
            world.run(for: .milliseconds(20))
        }
    }

    /// Connects the central and the peripheral, or another one, and removes the packets of the
    /// connection.
    private func link(to other: RemoteDevice? = nil) throws {
        let peripheral = other ?? peripheral
        central.send(.connectionRequest(parameters), to: peripheral, in: world)
        advertise(from: peripheral)
        let requests = peripheral.received(from: central, in: world)
        try #require(requests.contains(.connectionRequest(parameters)))
        peripheral.send(.connectionResponse(parameters), to: central, in: world)
        world.run(for: .milliseconds(200))
        let answers = central.received(from: peripheral, in: world)
        try #require(answers.contains(.connectionResponse(parameters)))
    }

    // MARK: Advertising

    @Test("An advertisement of RootCanal's device is received on our radio, as often as it is sent")
    func advertising() {
        advertise(for: 1)
        world.run(for: .seconds(1))
        let received = world.takeSent(.right)
        #expect(received.map(\.content) == [advertisement])
        #expect(received.map(\.source) == [peripheral.address.value])
        peripheral.send(advertisement, in: world)
        world.run(for: .seconds(1))
        #expect(world.takeSent(.right).map(\.content) == [advertisement])
    }

    @Test("RootCanal gets no more than ten advertisements of a set in a second")
    func pace() {
        advertise(for: 50)
        let received = world.takeSent(.right).filter { $0.content == advertisement }
        #expect((8...10).contains(received.count))
    }

    @Test("A device's own bridge does not send its advertisements back")
    func noEcho() {
        advertise()
        #expect(!world.takeSent(.left).contains { $0.source == peripheral.address.value })
    }

    @Test("Directed advertising for a device that is not on our radio is passed on")
    func directed() {
        let content = Content.advertisement(
            type: .directed,
            own: .random,
            target: .public,
            data: []
        )
        peripheral.send(content, to: central, in: world)
        world.run(for: .milliseconds(100))
        #expect(central.received(from: peripheral, in: world) == [content])
    }

    @Test("Extended advertising is passed on with more data than one command can carry")
    func extended() throws {
        let advertisement = RootCanalPacket.ExtendedAdvertisement(
            own: .random,
            target: .public,
            isConnectable: false,
            isScannable: false,
            isDirected: false,
            setIdentifier: 5,
            transmitPower: 127,
            primaryPHY: 1,
            secondaryPHY: 2,
            data: (0..<600).map { UInt8($0 & 0xFF) }
        )
        peripheral.send(.extendedAdvertisement(advertisement), in: world)
        world.run(for: .milliseconds(100))
        let content = world.takeSent(.right).first?.content
        guard case .extendedAdvertisement(let received)? = content else {
            Issue.record("no extended advertisement but \(String(describing: content))")
            return
        }
        #expect(received.data == advertisement.data)
        #expect(received.setIdentifier == 5 && received.secondaryPHY == 2)
    }

    @Test("A scan response passes through our radio")
    func scanResponse() throws {
        advertise()
        let scan = try #require(
            world.takeSent(.left).first { $0.destination == peripheral.address.value }
        )
        guard case .scanRequest(_, .random) = scan.content else {
            Issue.record("no scan request but \(scan.content)")
            return
        }
        let response = RootCanalPacket(
            source: peripheral.address.value,
            destination: scan.source,
            content: .scanResponse(own: .random, data: [3, 9, 0x41, 0x42])
        )
        world.receive(response, on: .left)
        advertise()
        peripheral.send(advertisement, in: world)
        world.run(for: .milliseconds(1))
        _ = world.takeSent(.right)
        central.send(.scanRequest(own: .public, advertiser: .random), to: peripheral, in: world)
        #expect(
            central.received(from: peripheral, in: world) == [
                .scanResponse(own: .random, data: [3, 9, 0x41, 0x42])
            ]
        )
    }

    // MARK: Links

    @Test("A central with a random address connects, although the request is its first packet")
    func firstPacket() {
        let central = RemoteDevice(
            address: DeviceAddress(value: 0xC000_0000_0003, kind: .random),
            side: .right
        )
        var parameters = parameters
        parameters.initiator = .random
        central.send(.connectionRequest(parameters), to: peripheral, in: world)
        advertise()
        let requests = peripheral.received(from: central, in: world)
        #expect(requests.contains(.connectionRequest(parameters)))
    }

    @Test("Data passes in both directions, in order and in the fragments of our radio")
    func data() throws {
        try link()
        let frame = (0..<600).map { UInt8($0 & 0xFF) }
        central.send(.data(isContinuation: false, frame), to: peripheral, in: world)
        central.send(.data(isContinuation: true, [1, 2]), to: peripheral, in: world)
        peripheral.send(.data(isContinuation: false, [9]), to: central, in: world)
        world.run(for: .milliseconds(500))
        var bytes: [UInt8] = []
        var beginnings = 0
        for case .data(let isContinuation, let part) in peripheral.received(
            from: central,
            in: world
        ) {
            bytes += part
            beginnings += isContinuation ? 0 : 1
        }
        #expect(bytes == frame + [1, 2] && beginnings == 1)
        let back = central.received(from: peripheral, in: world)
        #expect(back.contains(.data(isContinuation: false, [9])))
    }

    @Test("Both devices encrypt with the same key, and the peripheral gets the central's key")
    func encryption() throws {
        try link()
        let random: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let key = [UInt8](1...16)
        for _ in 0..<2 {  // The second time refreshes the key.
            central.send(
                .encryptionRequest(random: random, diversifier: 7, key: key),
                to: peripheral,
                in: world
            )
            world.run(for: .milliseconds(300))
            #expect(
                peripheral.received(from: central, in: world).contains(
                    .encryptionRequest(random: random, diversifier: 7, key: key)
                )
            )
            peripheral.send(.encryptionResponse(status: 0, key: key), to: central, in: world)
            world.run(for: .milliseconds(300))
            let answers = central.received(from: peripheral, in: world)
            #expect(answers.contains(.encryptionResponse(status: 0, key: key)))
        }
    }

    @Test("A link whose devices have different keys ends")
    func wrongKey() throws {
        try link()
        let (key, other) = ([UInt8](1...16), [UInt8](2...17))
        central.send(
            .encryptionRequest(random: [UInt8](repeating: 0, count: 8), diversifier: 0, key: key),
            to: peripheral,
            in: world
        )
        world.run(for: .milliseconds(300))
        peripheral.send(.encryptionResponse(status: 0, key: other), to: central, in: world)
        for _ in 0..<60 {
            central.send(.pingResponse, to: peripheral, in: world)
            peripheral.send(.pingResponse, to: central, in: world)
            world.run(for: .milliseconds(100))
        }
        // One device detects the wrong key. The other one detects that too, or the silence.
        let reasons = [
            central.received(from: peripheral, in: world).last,
            peripheral.received(from: central, in: world).last,
        ]
        #expect(reasons.contains(.disconnection(reason: 0x3D)))
        #expect(reasons.contains(.disconnection(reason: 0x08)) || reasons[0] == reasons[1])
    }

    @Test("A central receives the status that the peripheral has no key")
    func missingKey() throws {
        try link()
        let key = [UInt8](1...16)
        central.send(
            .encryptionRequest(random: [UInt8](repeating: 0, count: 8), diversifier: 0, key: key),
            to: peripheral,
            in: world
        )
        world.run(for: .milliseconds(300))
        let none = [UInt8](repeating: 0, count: 16)
        peripheral.send(.encryptionResponse(status: 6, key: none), to: central, in: world)
        world.run(for: .milliseconds(300))
        let answers = central.received(from: peripheral, in: world)
        #expect(answers.contains(.encryptionResponse(status: 6, key: none)))
    }

    @Test("The central's update and the peripheral's request change the parameters")
    func parameterUpdates() throws {
        try link()
        central.send(
            .parameterUpdate(status: 0, interval: 40, latency: 1, timeout: 200),
            to: peripheral,
            in: world
        )
        world.run(for: .seconds(1))
        let update = Content.parameterUpdate(status: 0, interval: 40, latency: 1, timeout: 200)
        #expect(peripheral.received(from: central, in: world).contains(update))
        let request = Content.parameterRequest(intervals: 30...50, latency: 0, timeout: 300)
        peripheral.send(request, to: central, in: world)
        world.run(for: .milliseconds(500))
        #expect(central.received(from: peripheral, in: world).contains(request))
        central.send(
            .parameterUpdate(status: 0, interval: 32, latency: 0, timeout: 300),
            to: peripheral,
            in: world
        )
        world.run(for: .seconds(1))
        let second = Content.parameterUpdate(status: 0, interval: 32, latency: 0, timeout: 300)
        #expect(peripheral.received(from: central, in: world).contains(second))
        // The central refuses the request.
        peripheral.send(request, to: central, in: world)
        world.run(for: .milliseconds(500))
        let refusal = Content.parameterUpdate(status: 0x1A, interval: 0, latency: 0, timeout: 0)
        central.send(refusal, to: peripheral, in: world)
        world.run(for: .seconds(1))
        let answers = peripheral.received(from: central, in: world)
        #expect(
            answers.contains {
                if case .parameterUpdate(0x1A, _, _, _) = $0 { true } else { false }
            }
        )
    }

    @Test("Features, version and PHYs are those of our radio")
    func questions() throws {
        try link()
        central.send(.featureRequest, to: peripheral, in: world)
        central.send(.versionRequest, to: peripheral, in: world)
        central.send(.phyRequest(send: 2, receive: 2), to: peripheral, in: world)
        central.send(.pingRequest, to: peripheral, in: world)
        peripheral.send(.phyRequest(send: 2, receive: 2), to: central, in: world)
        world.run(for: .seconds(1))
        let answers = central.received(from: peripheral, in: world)
        #expect(answers.contains(.phyResponse(send: 7, receive: 7)))
        #expect(answers.contains(.pingResponse))
        #expect(
            answers.contains {
                if case .featureResponse(let all, 0) = $0 { all != 0 } else { false }
            }
        )
        #expect(answers.contains { if case .versionResponse = $0 { true } else { false } })
        let updates = peripheral.received(from: central, in: world)
        #expect(updates.contains(.phyUpdate(toPeripheral: 2, toCentral: 2)))
    }

    @Test("A disconnection arrives after the data before it, with its reason")
    func disconnection() throws {
        try link()
        central.send(.data(isContinuation: false, [1, 2, 3]), to: peripheral, in: world)
        central.send(.disconnection(reason: 0x15), to: peripheral, in: world)
        world.run(for: .seconds(1))
        #expect(
            peripheral.received(from: central, in: world)
                == [.data(isContinuation: false, [1, 2, 3]), .disconnection(reason: 0x15)]
        )
        #expect(central.received(from: peripheral, in: world) == [])
    }

    @Test("A connection request that RootCanal's device does not answer ends the link")
    func noAnswer() throws {
        central.send(.connectionRequest(parameters), to: peripheral, in: world)
        advertise()
        for _ in 0..<30 {
            central.send(.pingResponse, to: peripheral, in: world)
            world.run(for: .milliseconds(100))
        }
        let answers = central.received(from: peripheral, in: world)
        #expect(answers.last == .disconnection(reason: 0x13))
    }

    @Test("A device that vanishes is detected by the supervision timeout")
    func vanished() throws {
        try link()
        for _ in 0..<100 {
            central.send(.pingResponse, to: peripheral, in: world)
            world.run(for: .milliseconds(100))
        }
        #expect(peripheral.received(from: central, in: world).contains(.pingRequest))
        #expect(central.received(from: peripheral, in: world).last == .disconnection(reason: 8))
        // The proxy of the vanished device is gone. Only the observer is left.
        #expect(world.controllerCount(.left) == 1)
    }

    @Test("A device that vanishes with two links is detected by the supervision timeout")
    func vanishedWithTwoLinks() throws {
        let address = DeviceAddress(value: 0xC000_0000_0003, kind: .random)
        let other = RemoteDevice(address: address, side: .left)
        try link()
        try link(to: other)
        for _ in 0..<100 {
            for device in [peripheral, other] { device.send(.pingResponse, to: central, in: world) }
            world.run(for: .milliseconds(100))
        }
        let ended = world.takeSent(.left).filter { $0.content == .disconnection(reason: 8) }
        #expect(Set(ended.map(\.destination)) == Set([peripheral, other].map(\.address.value)))
        #expect(world.controllerCount(.right) == 1)
    }

    @Test("If a device of RootCanal loses one of two links, only that link ends")
    func lostLink() throws {
        let address = DeviceAddress(value: 0xC000_0000_0003, kind: .random)
        let other = RemoteDevice(address: address, side: .left)
        try link()
        try link(to: other)
        for _ in 0..<100 {
            for device in [peripheral, other] { device.send(.pingResponse, to: central, in: world) }
            central.send(.pingResponse, to: peripheral, in: world)
            world.run(for: .milliseconds(100))
        }
        let ended = world.takeSent(.left).filter {
            if case .disconnection = $0.content { true } else { false }
        }
        #expect(ended.map(\.destination) == [other.address.value])
        #expect(world.controllerCount(.right) == 2)
    }

    @Test("A link ends if RootCanal sends more data on it than the limit")
    func tooMuchData() throws {
        try link()
        let part = [UInt8](repeating: 0, count: 60_000)
        for _ in 0..<5 {
            central.send(.data(isContinuation: true, part), to: peripheral, in: world)
        }
        #expect(central.received(from: peripheral, in: world) == [.disconnection(reason: 0x14)])
        world.run(for: .seconds(1))
        #expect(peripheral.received(from: central, in: world).last == .disconnection(reason: 0x14))
    }

    @Test("A connection to a device that does not advertise is abandoned")
    func noAdvertiser() {
        central.send(.connectionRequest(parameters), to: peripheral, in: world)
        world.run(for: RootCanalBridge.connectionLimit + .seconds(1))
        advertise()
        let requests = peripheral.received(from: central, in: world)
        #expect(!requests.contains(.connectionRequest(parameters)))
    }

    // MARK: Bounds

    @Test("The number of proxies is bounded, and silent ones are removed")
    func proxyLimit() {
        for value in 1...200 {
            let address = DeviceAddress(value: 0xC000_0000_1000 + UInt64(value), kind: .random)
            RemoteDevice(address: address, side: .left).send(advertisement, in: world)
        }
        #expect(world.controllerCount(.left) == 1 + RootCanalBridge.proxyLimit)
        world.run(for: RootCanalBridge.silenceLimit + .seconds(1))
        #expect(world.controllerCount(.left) == 1)
    }

    @Test("Malformed packets are ignored, and the bridge continues")
    func malformed() throws {
        try link()
        let packets = RootCanalPacketTests.samples.map { sample in
            var packet = sample
            packet.source = central.address.value
            packet.destination = peripheral.address.value
            return packet.bytes
        }
        for bytes in packets {
            for count in bytes.indices {
                let part = Array(bytes.prefix(count))
                let frame = [UInt8(truncatingIfNeeded: count), 0, 0, 0] + part
                try world.receive(frame, on: .right)
            }
        }
        world.run(for: .milliseconds(50))
        central.send(.pingRequest, to: peripheral, in: world)
        #expect(central.received(from: peripheral, in: world).contains(.pingResponse))
    }

    @Test("A length that no packet has is an error")
    func length() {
        #expect(throws: RootCanalError.packetTooLong(0x0100_0000)) {
            try world.receive([0, 0, 0, 1], on: .left)
        }
    }
}
