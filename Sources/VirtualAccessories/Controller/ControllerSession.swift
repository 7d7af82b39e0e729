// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A scripted host's exchange with its controller: startup first, then commands one by one.
///
/// The command queue counts the commands that the controller accepts, and detects a controller that
/// does not answer. The session then sends no further command until its next start.
package struct ControllerSession: Sendable {
    /// The result of an event or a deadline.
    package enum Progress: Sendable {
        /// Startup has succeeded.
        case ready(ControllerCapabilities)
        /// The controller cannot be used, or no longer answers.
        case failed
    }

    private enum Purpose: Sendable {
        case startup
        /// A command whose answer is ignored.
        case command
    }

    private var queue = CommandQueue<Purpose>()
    private var startup: ControllerStartup?

    package init() {}

    /// The packets for the controller, in order. The caller takes them after every call.
    private(set) var packets: [[UInt8]] = []
    /// The capabilities of the controller, after startup.
    package private(set) var capabilities: ControllerCapabilities?

    /// Starts the controller from the initial state.
    package mutating func start(now: Instant) {
        self = ControllerSession()
        startup = ControllerStartup(randomAddress: nil)
        _ = proceedWithStartup(now: now)
    }

    /// Sends a command as soon as the controller accepts it.
    package mutating func send(_ command: HCI.EncodedCommand, now: Instant) {
        _ = carryOut(queue.enqueue(command, for: .command, now: now), now: now)
    }

    /// Sends a command as soon as the controller accepts it.
    package mutating func send(_ command: some HCICommand, now: Instant) {
        send(HCI.EncodedCommand(command), now: now)
    }

    /// Sends a packet that is not a command.
    package mutating func sendPacket(_ packet: [UInt8]) {
        packets.append(packet)
    }

    package mutating func takePackets() -> [[UInt8]] {
        defer { packets = [] }
        return packets
    }

    /// Handles an event, if it answers a command.
    package mutating func receive(_ event: HCI.Event, now: Instant) -> Progress? {
        switch event {
        case .commandComplete(let event):
            let actions = queue.commandCompleted(
                opcode: event.opcode,
                allowedPackets: event.allowedPackets,
                returnParameters: event.returnParameters,
                now: now
            )
            return carryOut(actions, now: now)
        case .commandStatus(let event):
            let actions = queue.commandStatus(
                opcode: event.opcode,
                allowedPackets: event.allowedPackets,
                status: event.status,
                now: now
            )
            return carryOut(actions, now: now)
        default: return nil
        }
    }

    package var nextDeadline: Instant? { queue.nextDeadline }

    package mutating func deadlinePassed(now: Instant) -> Progress? {
        carryOut(queue.deadlinePassed(now: now), now: now)
    }

    private mutating func carryOut(
        _ actions: [CommandQueue<Purpose>.Action],
        now: Instant
    ) -> Progress? {
        var progress: Progress?
        for action in actions {
            switch action {
            case .send(let packet): packets.append(packet)
            case .finished(.startup, let result):
                progress = startupFinished(result, now: now) ?? progress
            case .finished(.command, _): break
            case .unresponsive: progress = .failed
            }
        }
        return progress
    }

    private mutating func startupFinished(_ result: CommandResult, now: Instant) -> Progress? {
        switch startup?.finished(result) {
        case .continue: return proceedWithStartup(now: now)
        case .ready(let capabilities):
            startup = nil
            self.capabilities = capabilities
            return .ready(capabilities)
        case .failed:
            startup = nil
            return .failed
        case nil: return nil
        }
    }

    private mutating func proceedWithStartup(now: Instant) -> Progress? {
        guard let command = startup?.next() else { return nil }
        return carryOut(queue.enqueue(command, for: .startup, now: now), now: now)
    }
}
