// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTesting
import Synchronization
import VirtualAccessories
import VirtualRadio

/// The requests that an accessory refuses. All other messages are echoed.
final class RefusalGate: Sendable {
    private struct State {
        var messages = 0
        var subscriptionWrite: UInt8?
    }

    private let state = Mutex(State())
    /// The error code of every refusal.
    let code: UInt8

    init(code: UInt8) { self.code = code }

    /// Refuses the next `count` messages.
    func refuse(_ count: Int) { state.withLock { $0.messages = count } }

    /// Refuses the next write of this value to a Client Characteristic Configuration descriptor.
    func refuse(subscriptionWrite value: UInt8) { state.withLock { $0.subscriptionWrite = value } }

    func react(_ written: [UInt8]) -> VirtualReaction {
        let isRefused = state.withLock { state in
            defer { state.messages = max(state.messages - 1, 0) }
            return state.messages > 0
        }
        return isRefused ? .refuses(code: code) : .notifies(written, on: Box.outbox)
    }

    /// Returns whether the accessory refuses this write to a descriptor.
    func refuses(_ value: UInt8) -> Bool {
        state.withLock { state in
            guard state.subscriptionWrite == value else { return false }
            state.subscriptionWrite = nil
            return true
        }
    }
}

/// An accessory whose gate can also refuse the writes that begin or end a subscription.
struct RefusingAccessory: ScriptedHost {
    /// The index of the ATT opcode in an H4 packet.
    private static let opcodePlace = 9
    /// The opcodes of the Error Response and the Write Request (Vol 3, Part F, 3.4.8).
    private static let (errorResponse, writeRequest): (UInt8, UInt8) = (0x01, 0x12)
    /// A handle that the accessory does not have.
    private static let missingHandle: [UInt8] = [0xFF, 0xFF]

    private var inner: SimpleAccessory
    private let gate: RefusalGate
    /// The handle in the write that is being refused.
    private var refused: [UInt8] = []

    init(_ profile: SimpleAccessoryProfile, _ gate: RefusalGate) {
        inner = SimpleAccessory(profile)
        self.gate = gate
    }

    mutating func start(now: Instant) -> [[UInt8]] { inner.start(now: now) }

    mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]] {
        let place = Self.opcodePlace
        guard packet.first == 0x02, packet.count == place + 5, packet[place] == Self.writeRequest,
            packet[place + 4] == 0, gate.refuses(packet[place + 3])
        else { return inner.receive(packet, now: now).map(answered) }
        // `SimpleAccessory` cannot refuse this write by itself. With a handle that does not exist,
        // it answers with an error, which `answered` then changes.
        refused = Array(packet[place + 1...place + 2])
        var packet = packet
        packet.replaceSubrange(place + 1...place + 2, with: Self.missingHandle)
        return inner.receive(packet, now: now).map(answered)
    }

    var nextDeadline: Instant? { inner.nextDeadline }

    mutating func deadlinePassed(now: Instant) -> [[UInt8]] {
        inner.deadlinePassed(now: now).map(answered)
    }

    /// Changes the error for the missing handle into the gate's refusal of the descriptor. Returns
    /// other packets unchanged.
    private func answered(_ packet: [UInt8]) -> [UInt8] {
        let place = Self.opcodePlace
        let refusal = [Self.errorResponse, Self.writeRequest] + Self.missingHandle
        guard packet.first == 0x02, packet.count == place + 5,
            packet[place..<place + 4].elementsEqual(refusal)
        else { return packet }
        return packet[..<(place + 2)] + refused + [gate.code]
    }
}
