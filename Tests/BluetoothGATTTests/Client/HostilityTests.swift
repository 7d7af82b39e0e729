// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport
import ServerTestSupport
import Testing

/// Servers with random responses: every operation ends, and nothing traps.
@Suite("Hostile servers")
struct HostilityTests {
    private static let operations: [GATT.Operation] = [
        .exchangeMTU, .discoverPrimaryServices(uuid: nil),
        .discoverPrimaryServices(uuid: .init(0x180F)), .discoverSecondaryServices,
        .findIncludedServices(first: .first, last: .last),
        .discoverCharacteristics(first: .first, last: .last, uuid: nil),
        .discoverCharacteristics(first: .first, last: .last, uuid: .init(0x2A00)),
        .discoverDescriptors(first: .first, last: .last), .read(.init(3)), .readLong(.init(3)),
        .readUsingUUID(.init(0x2A00), first: .first, last: .last),
        .readMultiple([.init(3), .init(4)]), .readMultipleVariable([.init(3), .init(4)]),
        .write(.init(3), [1]), .writeLong(.init(3), offset: 0, Array(0..<200)),
        .reliableWrite([.init(handle: .init(3), value: Array(0..<50))]),
        .writeWithoutResponse(.init(3), [1]),
        .subscribe(valueHandle: .init(3), descriptor: .init(4), .indication),
    ]

    @Test("Random bytes never trap", arguments: RunSeed.seeds(64))
    func randomBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var client = DrivenClient()
        for id in 0..<500 as Range<UInt64> {
            let operation = Self.operations[Int(id) % Self.operations.count]
            if client.hasRoom { _ = client.start(operation, id: id) }
            _ = client.nextPDU(now: .zero)
            let length = Int.random(in: 0...40, using: &generator)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = client.receive(bytes[...], now: .zero)
        }
        _ = client.close()
    }

    /// The limit of requests for one operation. No operation needs as many, because a discovery
    /// that finds one attribute with each request ends at `GATT.discoveryLimit`.
    private static let requestLimit = 2 * GATT.discoveryLimit

    @Test("Every operation ends if the responses are random", arguments: RunSeed.seeds(32))
    func randomAnswers(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for operation in Self.operations {
            var client = DrivenClient()
            var ends = client.start(operation, id: 1)
            var requests = 0
            while ends.isEmpty, let outgoing = client.nextPDU(now: .zero) {
                requests += 1
                ends += outgoing.actions
                guard requests < Self.requestLimit else { break }
                let answer = Self.answer(outgoing.bytes, using: &generator)
                ends += client.receive(answer[...], now: .zero).filter {
                    guard case .completed = $0 else { return false }
                    return true
                }
            }
            #expect(ends.count == 1, "\(operation), seed \(seed)")
        }
    }

    /// Returns an Error Response, or a response of the right kind with random content.
    private static func answer(
        _ request: [UInt8],
        using generator: inout SplitMix64
    ) -> [UInt8] {
        let start = request.count >= 3 ? UInt16(request[1]) | UInt16(request[2]) << 8 : 1
        let handle = start &+ UInt16.random(in: 0...100, using: &generator)
        let pair = [UInt8(handle & 0xFF), UInt8(handle >> 8)]
        let value = (0..<Int.random(in: 0...22, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        switch request[0] {
        case 0x04: return [0x05, 0x01] + pair + [0x01, 0x29]
        case 0x06: return [0x07] + pair + pair
        case 0x08: return [0x09, 0x07] + pair + [0x02, pair[0] &+ 1, pair[1], 0x00, 0x2A]
        case 0x10: return [0x11, 0x06] + pair + pair + [0x00, 0x18]
        case 0x16 where Bool.random(using: &generator): return [0x17] + request.dropFirst()
        case 0x0A, 0x0C: return [request[0] + 1] + value
        default:
            let isError = Bool.random(using: &generator)
            return isError ? [0x01, request[0]] + pair + [0x0A] : [request[0] + 1] + value
        }
    }
}
