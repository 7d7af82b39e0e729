// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothATT

/// Two bearers connected in memory, and a bearer with a hostile peer.
@Suite("Bearers with a peer")
struct BearerPairTests {
    @Test("Two clients without attributes answer each other and agree on one MTU")
    func settles() throws {
        var left = ATTBearer(receiveMTULimit: 247)
        var right = ATTBearer(receiveMTULimit: 185)
        try left.request(.exchangeMTURequest(.init(receiveMTU: 247)), id: 1)
        try right.request(.exchangeMTURequest(.init(receiveMTU: 185)), id: 1)
        for id in UInt64(2)...50 {
            try left.request(.read(AttributeHandle(UInt16(id))), id: id)
            try right.request(.write(AttributeHandle(UInt16(id))), id: id)
        }
        var ended: [[UInt64]] = [[], []]
        var isMoving = true
        while isMoving {
            let there = move(from: &left, to: &right, ended: &ended[1])
            let back = move(from: &right, to: &left, ended: &ended[0])
            isMoving = there || back
        }
        #expect(left.mtu == 185 && right.mtu == 185)
        #expect(ended[0] == Array(1...50) && ended[1] == Array(1...50))
        #expect(left.nextDeadline == nil && right.nextDeadline == nil)
    }

    /// Passes one PDU, and notes the request of the receiver that the PDU ended.
    private func move(
        from sender: inout ATTBearer,
        to receiver: inout ATTBearer,
        ended: inout [UInt64]
    ) -> Bool {
        guard let outgoing = sender.nextPDU(now: .zero) else { return false }
        switch receiver.receive(outgoing.bytes[...]) {
        case .response(let id, _), .failure(let id, _): ended.append(id)
        case .request(let request): receiver.respond(Self.refusal(of: request))
        case .answered: break
        case let other: Issue.record("\(other)")
        }
        return true
    }

    @Test(
        "With a hostile peer, each request ends at most once, and the MTU stays in its range",
        arguments: RunSeed.seeds(8)
    )
    func survivesHostility(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var bearer = ATTBearer(receiveMTULimit: 64)
        var waiting: Set<UInt64> = []
        var id: UInt64 = 0
        for round in 0..<5000 {
            if bearer.hasRoom {
                id += 1
                waiting.insert(id)
                try bearer.request(Self.requests[Int(id) % Self.requests.count], id: id)
            }
            try serve(&bearer, id: &id, &waiting)
            if Bool.random(using: &generator) { depart(from: &bearer, &waiting) }
            if round % 50 == 0, let victim = waiting.randomElement(using: &generator) {
                bearer.cancel(victim)
                waiting.remove(victim)
            }
            let bytes = Self.hostilePDU(using: &generator)
            let received = bearer.receive(bytes[...])
            if let ended = Self.ended(by: received) { #expect(waiting.remove(ended) != nil) }
            if case .request(let request) = received, round % 3 != 0 {
                bearer.respond(Self.refusal(of: request))
            }
            #expect((23...64).contains(bearer.mtu))
        }
        #expect(Set(bearer.close()) == waiting)
    }

    private func serve(
        _ bearer: inout ATTBearer,
        id: inout UInt64,
        _ waiting: inout Set<UInt64>
    ) throws {
        guard bearer.hasRoomForNotification, bearer.hasRoomForIndication else { return }
        try bearer.notify(.notification(1, [1]), id: id + 1)
        try bearer.indicate(.indication(2, [2]), id: id + 2)
        waiting.formUnion([id + 1, id + 2])
        id += 2
    }

    private func depart(from bearer: inout ATTBearer, _ waiting: inout Set<UInt64>) {
        guard let done = bearer.nextPDU(now: .zero)?.completedCommand else { return }
        #expect(waiting.remove(done) != nil)
    }

    private static let requests: [ATT.PDU] = [
        .read(1), .write(2), .readBlobRequest(.init(handle: 3, offset: 1)),
        .findInformationRequest(.init(start: 1, end: .last)),
        .readByTypeRequest(.init(start: 1, end: .last, type: .init(0x2803))),
        .exchangeMTURequest(.init(receiveMTU: 64)),
    ]

    private static func refusal(of request: ATT.PDU) -> ATT.PDU {
        .error(request.opcode, .invalid, .requestNotSupported)
    }

    private static func hostilePDU(using generator: inout SplitMix64) -> [UInt8] {
        let vector = PDUVector.all.randomElement(using: &generator)
        var bytes = vector?.bytes ?? []
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
        case 1: bytes += generator.bytes(Int.random(in: 1...70, using: &generator))
        case 2: bytes = generator.bytes(Int.random(in: 0...70, using: &generator))
        default: break
        }
        return bytes
    }

    private static func ended(by received: ATTBearer.Received) -> UInt64? {
        switch received {
        case .response(let id, _), .failure(let id, _): id
        case .violation(let id, _), .confirmed(let id): id
        default: nil
        }
    }
}
