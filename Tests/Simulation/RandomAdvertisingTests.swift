// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// Random advertising requests on a virtual controller while centrals connect and disconnect. At
/// the end a scanner receives exactly the requested sets.
@Suite("Advertising at random, in virtual time")
struct RandomAdvertisingTests {
    @Test("Random requests end in the requested sets", arguments: RunSeed.seeds(10))
    func converges(seed: UInt64) async throws {
        let air = SimulatedAir(seed: seed)
        air.world.watchInvariants()
        var configuration = ControllerConfiguration(name: "advertiser")
        configuration.isOld = seed % 3 == 0
        configuration.linkLimit = 2
        let own = try air.addAdapter(configuration)
        let other = try air.addAdapter(
            ControllerConfiguration(name: "phone", at: Position(x: 2, y: 0))
        )
        try await air.run(bound: .seconds(600)) {
            let host = BluetoothHost(transport: own, executor: air.executor)
            let phone = BluetoothHost(transport: other, executor: air.executor)
            try await host.start()
            try await phone.start()
            var walk = AdvertisingWalk(host: host, phone: phone, seed: seed)
            for step in 0..<30 { try await walk.step(UInt8(step)) }
            try await walk.check()
            await phone.shutdown()
            await host.shutdown()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
    }
}

/// A sequence of random requests, and the sets and links that exist after them.
private struct AdvertisingWalk {
    let host: BluetoothHost
    let phone: BluetoothHost
    var random: SplitMix64
    /// The active sets. `mark` is the first byte of a set's manufacturer data, and identifies the
    /// request.
    var sets: [(set: AdvertisingSet, mark: UInt8)] = []
    var links: [Link] = []

    init(host: BluetoothHost, phone: BluetoothHost, seed: UInt64) {
        self.host = host
        self.phone = phone
        random = SplitMix64(seed: seed)
    }

    private mutating func advertising(_ mark: UInt8) -> Advertising {
        var content = AdvertisingContent()
        content.manufacturerData = [.init(company: 0xFFFF, bytes: [mark])]
        let kinds: [Advertising.Kind] = [.connectable, .scannable, .nonConnectable]
        return Advertising(content, kind: kinds[Int.random(in: 0..<3, using: &random)])
    }

    mutating func step(_ mark: UInt8) async throws {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            let proposal = advertising(mark)
            do {
                let set = try await host.advertise(proposal)
                sets.append((set, mark))
            } catch {
                guard case AdvertisingError.tooManySets = error else { throw error }
            }
        case 2:
            guard !sets.isEmpty else { return }
            let place = Int.random(in: 0..<sets.count, using: &random)
            try await sets[place].set.update(advertising(mark))
            sets[place].mark = mark
        case 3:
            guard !sets.isEmpty else { return }
            await sets.remove(at: Int.random(in: 0..<sets.count, using: &random)).set.stop()
        default: try await connectOrDisconnect()
        }
    }

    private mutating func connectOrDisconnect() async throws {
        if let link = links.popLast() { return try await link.disconnect() }
        let found = await listen(for: 1) { $0.isConnectable }
        guard let address = found.first?.address else { return }
        links.append(try await phone.connect(to: address))
    }

    /// Returns up to `limit` different advertisements that match. The scan ends after a hundred
    /// successive advertisements without a new match.
    private func listen(
        for limit: Int,
        where predicate: @Sendable (Advertisement) -> Bool = { _ in true }
    ) async -> [Advertisement] {
        guard !sets.isEmpty else { return [] }
        var received: [Advertisement] = []
        var left = 100
        do {
            for try await found in phone.scan(reportsDuplicates: true) {
                left -= 1
                if predicate(found), !received.contains(where: { $0.data == found.data }) {
                    received.append(found)
                    left = 100
                }
                if received.count == limit || left == 0 { break }
            }
        } catch {}
        return received
    }

    /// Ends all links, and checks that the phone receives exactly the requested sets.
    func check() async throws {
        for link in links { try await link.disconnect() }
        let received = await listen(for: .max)
        let marks = Set(received.compactMap { $0.data.manufacturerData?.bytes.first })
        #expect(marks == Set(sets.map(\.mark)))
    }
}
