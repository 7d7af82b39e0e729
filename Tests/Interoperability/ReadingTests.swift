// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@Suite(.needsPeers) struct ReadingTests {
    @Test("A read returns as many bytes as the MTU allows", arguments: ControllerKind.available)
    func singleRead(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            #expect(try await link.read(link.handle(Demo.short)) == Demo.pattern(20))
            let long = try await link.handle(Demo.long)
            let mtu = try await link.mtu
            #expect(try await link.read(long) == Demo.pattern(mtu - 1))
            #expect(try await link.readLong(long) == Demo.pattern(512))
        }
    }

    /// The lengths are near the limits of responses with MTUs of 23 and 185 bytes, and of a value.
    @Test("A long read returns whole values of 0 to 512 bytes", arguments: ControllerKind.available)
    func everyLength(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link(to: .large)
            let service = try #require(
                try await link.discoverServices(uuid: Demo.uuid(0x0400)).first
            )
            let lengths = [0, 1, 19, 20, 21, 22, 23, 183, 184, 185, 368, 511, 512]
            let characteristics = try await link.discoverCharacteristics(of: service)
            #expect(characteristics.count == lengths.count)
            for (index, length) in lengths.enumerated() {
                let value = try await link.readLong(characteristics[index].valueHandle)
                #expect(value == Demo.pattern(length, start: index))
            }
        }
    }

    @Test("A read by UUID returns all values with that UUID", arguments: ControllerKind.available)
    func byUUID(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link(to: .large)
            let service = try #require(
                try await link.discoverServices(uuid: Demo.uuid(0x0900)).first
            )
            let values = try await link.read(
                uuid: Demo.uuid(0x0901),
                first: service.handle,
                last: service.endHandle
            )
            #expect(values.map(\.value) == (0..<4).map { Demo.pattern($0) })
            let handles = try await link.discoverCharacteristics(of: service).map(\.valueHandle)
            #expect(values.map(\.handle) == handles)
            #expect(try await link.read(uuid: BluetoothUUID(0x2A19)).map(\.value) == [[0x64]])
        }
    }

    @Test("One request reads several values", arguments: ControllerKind.available)
    func severalValues(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let wanted = [0x2A29, 0x2A24, 0x2A26].map { BluetoothUUID(UInt16($0)) }
            let values = ["Lanyard", "Demo", "1.2.3"].map { Array($0.utf8) }
            var handles: [AttributeHandle] = []
            for uuid in wanted { handles.append(try await link.handle(uuid)) }
            #expect(try await link.readJoined(handles) == values.flatMap(\.self))
            #expect(try await link.read(handles).map(\.value) == values)
        }
    }

    @Test("The host reads descriptors", arguments: ControllerKind.available)
    func readsDescriptors(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let burst = try await link.find(Demo.burst)
            let descriptors = try await link.discoverDescriptors(of: burst)
            let configuration = GATT.AttributeType.clientCharacteristicConfiguration
            let words = GATT.AttributeType.characteristicUserDescription
            #expect(Set(descriptors.map(\.uuid)) == [configuration, words])
            for descriptor in descriptors {
                let value = descriptor.uuid == words ? Array("Burst".utf8) : [0, 0]
                #expect(try await link.readLong(descriptor.handle) == value)
            }
        }
    }

    @Test(
        "A refused read or write of a protected value has its reason",
        arguments: ControllerKind.available
    )
    func protectedValues(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link(to: .large)
            let reasons: [(UInt16, ATT.ErrorCode)] = [
                (0x0701, .insufficientEncryption), (0x0702, .insufficientAuthentication),
                (0x0703, .insufficientAuthorization), (0x0704, ATT.ErrorCode(rawValue: 0x80)),
            ]
            for (number, code) in reasons {
                let handle = try await link.handle(Demo.uuid(number))
                let refusal = GATT.Failure.attribute(code, handle: handle)
                await #expect(throws: refusal) { try await link.read(handle) }
                await #expect(throws: refusal) { try await link.readLong(handle) }
                guard number != 0x0704 else { continue }
                await #expect(throws: refusal) { try await link.write([1], to: handle) }
            }
            let open = try await link.handle(Demo.uuid(0x0705))
            #expect(try await link.read(open) == Array("open to all".utf8))
            let nowhere = GATT.Failure.attribute(.invalidHandle, handle: .last)
            await #expect(throws: nowhere) { try await link.read(.last) }
        }
    }

    @Test("Concurrent reads receive their own values", arguments: ControllerKind.available)
    func concurrentReads(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link(to: .large)
            let service = try #require(
                try await link.discoverServices(uuid: Demo.uuid(0x0A00)).first
            )
            let characteristics = try await link.discoverCharacteristics(of: service)
            #expect(characteristics.count == 40)
            try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { reads in
                for (number, characteristic) in characteristics.enumerated() {
                    reads.addTask { (number, try await link.read(characteristic.valueHandle)) }
                }
                for try await (number, value) in reads { #expect(value == [UInt8(number)]) }
            }
        }
    }

    @Test("A canceled read does not affect other reads", arguments: ControllerKind.available)
    func canceledReads(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let (short, long) = (
                try await link.handle(Demo.short), try await link.handle(Demo.long)
            )
            for _ in 0..<20 {
                let abandoned = (0..<3).map { _ in Task { try await link.readLong(long) } }
                async let kept = link.read(short)
                for read in abandoned { read.cancel() }
                #expect(try await kept == Demo.pattern(20))
                for read in abandoned {
                    // The read may have been answered first.
                    if let value = try? await read.value { #expect(value == Demo.pattern(512)) }
                }
            }
            #expect(try await link.readLong(long) == Demo.pattern(512))
        }
    }
}
