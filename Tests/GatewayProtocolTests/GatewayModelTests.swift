// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import GatewayProtocol

/// Random connections, bytes, faults and time, with a model of the controller that checks the
/// gateway's actions.
@Suite("A gateway keeps its rules under random inputs")
struct GatewayModelTests {
    private struct Model {
        var core = GatewayCore(name: "hall")
        var now = Instant.zero
        var writers: [Int: FrameWriter] = [:]
        var readers: [Int: FrameReader] = [:]
        var isOpen = false
        var isOpening = false
        /// Whether the last packet that the gateway sent to the open controller is a reset.
        var isClean = true
        var owners: Set<Int> = []
        var resets = 0

        mutating func perform(_ actions: [GatewayCore.Action]) {
            for action in actions {
                switch action {
                case .send(let id, let bytes): receive(bytes, id)
                case .close(let id):
                    writers[id] = nil
                    readers[id] = nil
                    owners.remove(id)
                case .openController:
                    #expect(!isOpen && !isOpening, "opened twice")
                    isOpening = true
                case .control(let packets):
                    #expect(isOpen, "packets for a closed controller")
                    for packet in packets {
                        let isReset = packet == GatewayCore.reset
                        if isReset { resets += 1 }
                        isClean = isReset
                    }
                case .closeController:
                    #expect(isOpen || isOpening, "closed twice")
                case .check(let id, _, _):
                    perform(core.secretChecked(id, isValid: id % 2 == 0, now: now))
                case .log: break
                }
            }
        }

        mutating func receive(_ bytes: [UInt8], _ id: Int) {
            guard readers[id] != nil else { return }
            readers[id]?.append(bytes)
            while let frame = try? readers[id]?.next() {
                guard case .granted = frame else { continue }
                #expect(owners.isEmpty, "two owners")
                #expect(isClean && isOpen, "granted without a reset")
                owners.insert(id)
            }
        }

        mutating func step(_ generator: inout SplitMix64) {
            let id = Int.random(in: 0..<6, using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0, 1:
                guard writers[id] == nil else { return }
                writers[id] = FrameWriter()
                readers[id] = FrameReader()
                let isHost = Bool.random(using: &generator)
                perform(
                    core.connected(id, from: "\(id)", isHost ? .host("a") : .unenrolled, now: now)
                )
                send(.hello(version: 1), id)
            case 2:
                guard writers[id] != nil else { return }
                writers[id] = nil
                readers[id] = nil
                owners.remove(id)
                perform(core.disconnected(id, now: now))
            case 3: send(.ping, id)
            case 4: send(.packets([0x01, 0x01, 0x10, 0x00]), id)
            case 5: send(.credit(UInt32.random(in: 0...200_000, using: &generator)), id)
            case 6:
                let bytes = (0..<12).map { _ in UInt8.random(in: 0...8, using: &generator) }
                if writers[id] != nil { perform(core.received(bytes, on: id, now: now)) }
            case 7:
                guard isOpening else { return }
                isOpening = false
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    perform(core.controllerEnded("it fails", now: now))
                } else {
                    isOpen = true
                    isClean = false
                    perform(core.controllerOpened(now: now))
                }
            case 8, 9:
                guard isOpen else { return }
                perform(core.controllerSent(GatewayCoreTests.resetAnswer, now: now))
            case 10:
                guard isOpen else { return }
                isOpen = false
                owners = []
                perform(core.controllerEnded(nil, now: now))
            default:
                now = now + .milliseconds(Int.random(in: 1...900, using: &generator))
                if let deadline = core.nextDeadline, deadline <= now {
                    perform(core.deadlinePassed(now: now))
                }
            }
            #expect(core.connections.count <= GatewayCore.connectionLimit)
            if let owner = core.owner { #expect(core.connections[owner] != nil, "no connection") }
        }

        private mutating func send(_ frame: Frame, _ id: Int) {
            guard let bytes = writers[id]?.bytes(of: frame) else { return }
            perform(core.received(bytes, on: id, now: now))
        }
    }

    @Test(
        "A gateway has at most one connected owner, and resets the controller before each grant",
        arguments: RunSeed.seeds(100)
    )
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var model = Model()
        for _ in 0..<2_000 { model.step(&generator) }
        for id in 0..<6 { model.perform(model.core.disconnected(id, now: model.now)) }
        #expect(model.core.owner == nil)
        #expect(model.core.connections.isEmpty)
    }
}
