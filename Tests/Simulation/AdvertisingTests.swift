// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// Our host as a peripheral and our host as a central, on the virtual radio.
@Suite("Advertising, in virtual time")
struct AdvertisingTests {
    private static let heartRate = BluetoothUUID(0x180D)

    /// Runs the body with an advertising host and with centrals.
    private func withHosts(
        seed: UInt64 = 1,
        isOld: Bool = false,
        linkLimit: Int = 20,
        centrals: Int = 1,
        configure: @escaping @Sendable (inout HostConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (BluetoothHost, [BluetoothHost]) async throws -> Void
    ) async throws {
        let air = SimulatedAir(seed: seed)
        air.world.watchInvariants()
        var own = ControllerConfiguration(name: "peripheral")
        own.isOld = isOld
        own.linkLimit = linkLimit
        let adapter = try air.addAdapter(own)
        let others = try (0..<centrals).map { number in
            let place = Position(x: 2, y: Double(number))
            return try air.addAdapter(ControllerConfiguration(name: "central \(number)", at: place))
        }
        try await air.run(bound: .seconds(300)) { [air] in
            var configuration = HostConfiguration()
            configure(&configuration)
            let peripheral = BluetoothHost(
                transport: adapter,
                configuration: configuration,
                executor: air.executor
            )
            let centrals = others.map { BluetoothHost(transport: $0, executor: air.executor) }
            for host in [peripheral] + centrals { try await host.start() }
            let result: Result<Void, any Error>
            do { result = .success(try await body(peripheral, centrals)) } catch {
                result = .failure(error)
            }
            for host in [peripheral] + centrals { await host.shutdown() }
            try result.get()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
    }

    /// Returns the first discovery that matches.
    private static func receive(
        _ host: BluetoothHost,
        _ predicate: @Sendable (Advertisement) -> Bool
    ) async throws -> Advertisement {
        for try await found in host.scan(reportsDuplicates: true) where predicate(found) {
            return found
        }
        throw CancellationError()
    }

    @Test(
        "An advertisement arrives as requested from a new and from an old controller",
        arguments: [
            false, true,
        ]
    )
    func received(isOld: Bool) async throws {
        try await withHosts(isOld: isOld) { peripheral, centrals in
            var content = AdvertisingContent(localName: "A thermometer in the attic")
            content.serviceUUIDs = [Self.heartRate]
            content.manufacturerData = [.init(company: 0xFFFF, bytes: [1, 2, 3])]
            content.appearance = 0x0300
            let set = try await peripheral.advertise(Advertising(content))
            #expect(set.layout.omissions.isEmpty)
            let found = try await Self.receive(centrals[0]) { $0.data.localName != nil }
            #expect(found.data.completeLocalName == "A thermometer in the attic")
            #expect(found.data.serviceUUIDs == [Self.heartRate])
            #expect(found.data.manufacturerData?.bytes == [1, 2, 3])
            #expect(found.data.appearance == 0x0300)
            #expect(found.data.flags == [.generalDiscoverable, .brEdrNotSupported])
            #expect(found.isConnectable && found.isScannable && found.isLegacy)
            await set.stop()
            #expect(try await set.ended() == .stopped)
        }
    }

    @Test(
        "The peripheral reports each connection with the right roles",
        arguments: [
            false, true,
        ]
    )
    func connects(isOld: Bool) async throws {
        try await withHosts(isOld: isOld) { peripheral, centrals in
            let incoming = peripheral.incomingLinks
            _ = try await peripheral.advertise(
                Advertising(AdvertisingContent(localName: "Lamp"))
            )
            let found = try await Self.receive(centrals[0]) { $0.data.localName == "Lamp" }
            let link = try await centrals[0].connect(to: found.address)
            #expect(try await link.role == .central)
            var arrivals = incoming.makeAsyncIterator()
            let arrived = try #require(await arrivals.next())
            #expect(try await arrived.role == .peripheral)
            // Each end is a client of the other: the peripheral discovers the central's services.
            _ = try await arrived.discoverServices()
            _ = try await link.discoverServices()
            #expect(try await arrived.mtu == 517)
            #expect(try await link.properties.dataLength.transmitBytes == 251)
            try await link.disconnect()
            _ = try await arrived.ended()
        }
    }

    @Test("Several centrals connect one after the other, up to the controller's limit")
    func severalCentrals() async throws {
        try await withHosts(linkLimit: 3, centrals: 4) { peripheral, centrals in
            _ = try await peripheral.advertise(Advertising(AdvertisingContent(localName: "Hub")))
            let found = try await Self.receive(centrals[0]) { $0.data.localName == "Hub" }
            var links: [Link] = []
            for central in centrals.prefix(3) {
                links.append(try await central.connect(to: found.address))
            }
            #expect(await peripheral.links.count == 3)
            // The fourth central waits until a link ends.
            async let late = centrals[3].connect(
                to: found.address,
                options: ConnectOptions(timeout: .seconds(60))
            )
            try await links[0].disconnect()
            let link = try await late
            #expect(try await link.role == .central)
        }
    }

    @Test("A host is central and peripheral at once, and scans meanwhile")
    func bothRoles() async throws {
        try await withHosts(centrals: 2) { middle, others in
            _ = try await middle.advertise(Advertising(AdvertisingContent(localName: "Middle")))
            _ = try await others[1].advertise(Advertising(AdvertisingContent(localName: "End")))
            let scan = middle.scan(reportsDuplicates: true)
            let end = try await Self.receive(middle) { $0.data.localName == "End" }
            let out = try await middle.connect(to: end.address)
            let found = try await Self.receive(others[0]) { $0.data.localName == "Middle" }
            let back = try await others[0].connect(to: found.address)
            #expect(try await out.role == .central)
            #expect(try await back.role == .central)
            let roles = try await middle.links.asyncMap { try await $0.role }
            #expect(Set(roles) == [.central, .peripheral])
            for try await _ in scan { break }
        }
    }

    @Test("Two sets are discovered as two devices with their own data and address")
    func twoSets() async throws {
        try await withHosts { peripheral, centrals in
            let address = DeviceAddress(value: 0xC123_4567_89AB, kind: .random)
            let beacon = AdvertisingContent(localName: "Beacon")
            var second = Advertising(beacon, kind: .nonConnectable, form: .extended)
            second.address = .random(address)
            second.setIdentifier = 5
            _ = try await peripheral.advertise(Advertising(AdvertisingContent(localName: "One")))
            _ = try await peripheral.advertise(second)
            let one = try await Self.receive(centrals[0]) { $0.data.localName == "One" }
            let two = try await Self.receive(centrals[0]) { $0.data.localName == "Beacon" }
            #expect(one.address != two.address)
            #expect(two.address == address)
            #expect(two.setIdentifier == 5)
            #expect(!two.isLegacy && !two.isConnectable && !two.isScannable)
        }
    }

    @Test("Long advertising data arrives whole", arguments: [200, 600, 1650])
    func longData(count: Int) async throws {
        try await withHosts { peripheral, centrals in
            var bytes: [UInt8] = []
            while bytes.count + 50 <= count {
                bytes += [49, 0xFF] + (0..<48).map { UInt8(($0 + bytes.count) & 0xFF) }
            }
            var long = Advertising(
                rawAdvertisingData: bytes,
                kind: .nonConnectable,
                form: .extended
            )
            long.secondaryPHY = .le2M
            _ = try await peripheral.advertise(long)
            let found = try await Self.receive(centrals[0]) { !$0.isLegacy && !$0.isTruncated }
            #expect(found.data.bytes == bytes)
            #expect(found.secondaryPHY == .le2M)
        }
    }

    @Test(
        "Directed advertising reaches one device, which connects, and the set ends",
        arguments: [
            Advertising.DutyCycle.low, .high,
        ]
    )
    func directed(duty: Advertising.DutyCycle) async throws {
        let phone = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)
        let air = SimulatedAir(seed: 3)
        let own = try air.addAdapter(ControllerConfiguration(name: "lamp"))
        let other = try air.addAdapter(
            ControllerConfiguration(name: "phone", at: Position(x: 1, y: 0))
        )
        try await air.run(bound: .seconds(60)) {
            var configuration = HostConfiguration()
            configuration.address = phone
            let lamp = BluetoothHost(transport: own, executor: air.executor)
            let central = BluetoothHost(
                transport: other,
                configuration: configuration,
                executor: air.executor
            )
            try await lamp.start()
            try await central.start()
            // The phone learns the lamp's address from an undirected advertisement.
            let open = try await lamp.advertise(Advertising(AdvertisingContent(localName: "Lamp")))
            let found = try await Self.receive(central) { $0.data.localName == "Lamp" }
            await open.stop()
            async let link = central.connect(to: found.address)
            let set = try await lamp.advertise(Advertising(kind: .directed(phone, duty)))
            #expect(try await link.role == .central)
            #expect(try await set.ended() == .connected)
            await central.shutdown()
            await lamp.shutdown()
        }
    }

    @Test(
        "Directed advertising with a high duty cycle to an absent device ends by itself",
        arguments: [
            false, true,
        ]
    )
    func directedTimeout(isOld: Bool) async throws {
        try await withHosts(isOld: isOld) { peripheral, _ in
            let absent = DeviceAddress(value: 0xC0DE_0000_00FF, kind: .random)
            let set = try await peripheral.advertise(
                Advertising(kind: .directed(absent, .high))
            )
            #expect(try await set.ended() == .durationElapsed)
        }
    }

    @Test("A device that is not on the Filter Accept List does not connect")
    func admission() async throws {
        try await withHosts { peripheral, centrals in
            var private_ = Advertising(AdvertisingContent(localName: "Lamp"))
            private_.admission = .connections(from: [
                DeviceAddress(value: 0xC0DE_0000_00FF, kind: .random)
            ])
            let set = try await peripheral.advertise(private_)
            let found = try await Self.receive(centrals[0]) { $0.data.localName == "Lamp" }
            await #expect(throws: HostError.self) {
                try await centrals[0].connect(
                    to: found.address,
                    options: ConnectOptions(timeout: .seconds(3))
                )
            }
            private_.admission = .everyone
            try await set.update(private_)
            _ = try await centrals[0].connect(to: found.address)
        }
    }

    @Test("Advertising data can change during advertising")
    func update() async throws {
        try await withHosts { peripheral, centrals in
            let set = try await peripheral.advertise(
                Advertising(AdvertisingContent(localName: "Before"))
            )
            _ = try await Self.receive(centrals[0]) { $0.data.localName == "Before" }
            try await set.update(Advertising(AdvertisingContent(localName: "After")))
            _ = try await Self.receive(centrals[0]) { $0.data.localName == "After" }
            try await set.update(
                Advertising(AdvertisingContent(localName: "Beacon"), kind: .nonConnectable)
            )
            let found = try await Self.receive(centrals[0]) { $0.data.localName == "Beacon" }
            #expect(!found.isConnectable)
        }
    }

    @Test("A duration ends the set", arguments: [false, true])
    func duration(isOld: Bool) async throws {
        try await withHosts(isOld: isOld) { peripheral, _ in
            var short = Advertising(AdvertisingContent(localName: "Lamp"))
            short.duration = .seconds(3)
            let set = try await peripheral.advertise(short)
            #expect(try await set.ended() == .durationElapsed)
        }
    }

    @Test(
        "A peripheral gets the parameters that it requests or prefers, and both sides report them",
        arguments: [false, true]
    )
    func parameters(isOld: Bool) async throws {
        let preferred = ConnectionUpdate(
            intervalMinimum: .milliseconds(100),
            intervalMaximum: .milliseconds(125),
            peripheralLatency: 2
        )
        try await withHosts(isOld: isOld) { configuration in
            configuration.preferredConnectionParameters = preferred
        } _: { peripheral, centrals in
            let incoming = peripheral.incomingLinks
            _ = try await peripheral.advertise(
                Advertising(AdvertisingContent(localName: "Lamp"))
            )
            let found = try await Self.receive(centrals[0]) { $0.data.localName == "Lamp" }
            let link = try await centrals[0].connect(to: found.address)
            var arrivals = incoming.makeAsyncIterator()
            let arrived = try #require(await arrivals.next())
            let updates = arrived.parameterUpdates
            // The first update has the preferred parameters.
            var asCentral = link.parameterUpdates.makeAsyncIterator()
            let preferred = try #require(await asCentral.next())
            #expect(preferred.peripheralLatency == 2 && preferred.interval >= .milliseconds(100))
            #expect(try await link.properties.parameters == preferred)
            let faster = try await arrived.updateParameters(
                ConnectionUpdate(
                    intervalMinimum: .milliseconds(15),
                    intervalMaximum: .milliseconds(15)
                )
            )
            #expect(faster.interval == .milliseconds(15))
            #expect(await asCentral.next() == faster)
            try await link.disconnect()
            #expect(await asCentral.next() == nil)
            _ = try await arrived.ended()
            #expect(await updates.reduce(into: []) { $0.append($1) } == [preferred, faster])
            var afterwards = arrived.parameterUpdates.makeAsyncIterator()
            #expect(await afterwards.next() == nil)
        }
    }
}

extension Sequence where Element: Sendable {
    /// Returns the results of the transform, one after the other.
    fileprivate func asyncMap<Result>(
        _ transform: (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
