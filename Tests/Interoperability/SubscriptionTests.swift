// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@Suite(.needsPeers) struct SubscriptionTests {
    typealias Values = NotificationStream

    @Test("A thousand notifications arrive in order", arguments: ControllerKind.available)
    func notifications(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let values = try await link.subscribe(to: link.find(Demo.burst))
            try await link.command(.notify, count: 1000, size: 100)
            let counters = try await take(1000, of: values) { value in
                #expect(value.dropFirst(4).elementsEqual(Demo.pattern(96)))
            }
            #expect(counters == Array(0..<1000))
        }
    }

    @Test("The host confirms each indication", arguments: ControllerKind.available)
    func indications(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let indicated = try await link.find(Demo.indicated)
            let values = try await link.subscribe(to: indicated, kind: .indication)
            // The accessory sends the next indication only after the confirmation of the last one.
            #expect(try await take(4, of: values) == Array(0..<4))
        }
    }

    @Test("Reads complete while notifications arrive", arguments: ControllerKind.available)
    func readsAmongNotifications(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let short = try await link.handle(Demo.short)
            let values = try await link.subscribe(to: link.find(Demo.burst))
            try await link.command(.notify, count: 500, size: 20)
            async let counters = take(500, of: values)
            for _ in 0..<50 { #expect(try await link.read(short) == Demo.pattern(20)) }
            #expect(try await counters == Array(0..<500))
        }
    }

    @Test(
        "Each reader receives every value, and the last reader ends the subscription",
        arguments: ControllerKind.available
    )
    func severalReaders(
        kind: ControllerKind
    ) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let burst = try await link.find(Demo.burst)
            let configuration = try await configuration(of: burst, on: link)
            try await readTwice(burst, on: link)
            // A stream may be released a moment after the end of the function that read it.
            try await within(HostFixture.limit, "the end of the subscription") {
                while try await link.read(configuration) != [0, 0] {}
            }
        }
    }

    private func readTwice(_ burst: GATT.Characteristic, on link: Link) async throws {
        let configuration = try await configuration(of: burst, on: link)
        let one = try await link.subscribe(to: burst)
        try await readAlong(with: one, burst, on: link)
        #expect(try await link.read(configuration) == [1, 0], "one reader is left")
        try await link.command(.notify, count: 3, size: 4)
        #expect(try await take(13, of: one) == Array(0..<10) + Array(0..<3))
    }

    private func readAlong(
        with one: Values,
        _ burst: GATT.Characteristic,
        on link: Link
    ) async throws {
        let other = try await link.subscribe(to: burst)
        try await link.command(.notify, count: 10, size: 4)
        #expect(try await take(10, of: other) == Array(0..<10))
    }

    @Test("A subscription ends with its link", arguments: ControllerKind.available)
    func endOfLink(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let values = try await link.subscribe(to: link.find(BluetoothUUID(0x2A37)))
            _ = try await take(1, of: values)
            try await link.command(.disconnect)
            let reason = HostError.disconnected(.remoteUserTerminatedConnection)
            await #expect(throws: reason) { try await take(.max, of: values) }
        }
    }

    @Test(
        "A subscription requires notifications or indications",
        arguments: ControllerKind.available
    )
    func notSubscribable(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let short = try await link.find(Demo.short)
            await #expect(throws: HostError.notSubscribable) {
                try await link.subscribe(to: short)
            }
        }
    }

    @Test(
        "The host receives Service Changed and discovers an added service",
        arguments: ControllerKind.available
    )
    func addedService(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let before = try await link.discoverServices()
            let changes = try await link.serviceChanges()
            try await link.command(.grow)
            let changed = try await within(HostFixture.limit, "Service Changed") {
                try await changes.first { _ in true }
            }
            let new = try #require(try await link.discoverServices().last)
            #expect(try await link.discoverServices() == before + [new])
            #expect(changed == new.handles)
            #expect(try await link.readLong(link.handle(Demo.uuid(0x11))) == Array("new".utf8))
        }
    }

    private func configuration(
        of characteristic: GATT.Characteristic,
        on link: Link
    ) async throws -> AttributeHandle {
        let type = GATT.AttributeType.clientCharacteristicConfiguration
        let descriptors = try await link.discoverDescriptors(of: characteristic)
        return try #require(descriptors.first { $0.uuid == type }).handle
    }
}

/// Returns the counters at the start of the next values of a stream.
@discardableResult
func take(
    _ count: Int,
    of values: SubscriptionTests.Values,
    check: @escaping @Sendable ([UInt8]) -> Void = { _ in }
) async throws -> [Int] {
    try await within(HostFixture.limit * 2, "\(count) values") {
        var counters: [Int] = []
        for try await value in values {
            check(value)
            counters.append(value.littleEndianValue)
            if counters.count == count { break }
        }
        return counters
    }
}
