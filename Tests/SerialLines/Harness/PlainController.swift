// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import Synchronization

@testable import HCITransports

/// A controller with three commands: Reset, Read Local Version Information, and its vendor's
/// command to change the speed.
final class PlainController: HCITransport {
    struct Behavior: Sendable {
        var company: UInt16 = 0x000F
        /// Whether the speed changes on command.
        var changesSpeed = true
        /// The status in the answer to the vendor's command.
        var status: UInt8 = 0
        /// Whether a Reset restores the first speed.
        var resetUndoesSpeed = false
    }

    private struct State {
        var behavior: Behavior
        var deframer = H4Deframer()
        var receive: (@Sendable (TransportEvent) -> Void)?
        var executor: (any HostExecutor)?
        /// The opcodes of all received commands, in order.
        var received: [UInt16] = []
    }

    let name = "plain controller"
    private let state: Mutex<State>
    /// The closure that sets the speed of the UART. It gets `nil` for the first speed.
    private let speedChanged = Mutex<(@Sendable (Int?) -> Void)?>(nil)

    init(_ behavior: Behavior = Behavior()) {
        state = Mutex(State(behavior: behavior))
    }

    /// The opcodes of all received commands, in order.
    var received: [UInt16] { state.withLock { $0.received } }

    func whenSpeedChanges(_ body: @escaping @Sendable (Int?) -> Void) {
        speedChanged.withLock { $0 = body }
    }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        state.withLock { state in
            state.receive = receive
            state.executor = executor
        }
    }

    func close() {
        state.withLock { $0.receive = nil }
    }

    func send(_ packets: [[UInt8]]) {
        for packet in packets {
            state.withLock { $0.deframer.append(packet[...]) }
            while let command = nextCommand() { execute(command) }
        }
    }

    private func nextCommand() -> HCI.Packet? {
        state.withLock { state in
            do throws(H4FramingError) {
                return try state.deframer.next()
            } catch {
                state.deframer.reset()
                return nil
            }
        }
    }

    private func execute(_ packet: HCI.Packet) {
        guard case .command(let opcode, let parameters) = packet else { return }
        let behavior = state.withLock { state in
            state.received.append(opcode.rawValue)
            return state.behavior
        }
        switch opcode.rawValue {
        case 0x0C03:
            answer(opcode, [0])
            if behavior.resetUndoesSpeed { changeSpeed(to: nil) }
        case 0x1001:
            let company = [UInt8(behavior.company & 0xFF), UInt8(behavior.company >> 8)]
            answer(opcode, [0, 0x0C, 0, 0, 0x0C] + company + [0, 0])
        case 0xFC18:
            answer(opcode, [behavior.status])
            guard behavior.changesSpeed, behavior.status == 0 else { return }
            changeSpeed(
                to: parameters.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            )
        default: answer(opcode, [0x01])
        }
    }

    private func answer(_ opcode: HCI.Opcode, _ returned: [UInt8]) {
        let event: [UInt8] = [0x04, 0x0E, UInt8(3 + returned.count), 1]
        let code = [UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8)]
        state.withLock { $0.receive }?(.received((event + code + returned)[...]))
    }

    /// Changes the speed after the last answer has been sent.
    private func changeSpeed(to speed: Int?) {
        let body = speedChanged.withLock { $0 }
        state.withLock { $0.executor }?.performAtTurnEnd { body?(speed) }
    }
}
