// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How a scripted host speaks to its controller: start-up first, then commands one by one.
///
/// The command queue counts what the controller takes, and gives up on a controller that does not
/// answer; then nothing more happens until power returns.
struct ControllerSession: Sendable {
    /// What came of it.
    enum Progress: Sendable {
        /// Start-up has ended well.
        case ready(ControllerCapabilities)
        /// The controller cannot be used, or does not answer any more.
        case failed
    }

    private enum Purpose: Sendable {
        case startup
        /// Nobody waits for the answer.
        case order
    }

    private var queue = CommandQueue<Purpose>()
    private var startup: ControllerStartup?

    /// Packets for the controller, in order; take them out after every call.
    private(set) var packets: [[UInt8]] = []
    /// What the controller can do, once start-up has ended.
    private(set) var capabilities: ControllerCapabilities?

    /// Starts from nothing, whatever was before.
    mutating func start(now: Instant) {
        self = ControllerSession()
        startup = ControllerStartup(randomAddress: nil)
        _ = proceedWithStartup(now: now)
    }

    /// Sends a command, as soon as the controller takes it.
    mutating func send(_ command: HCI.EncodedCommand, now: Instant) {
        _ = carryOut(queue.enqueue(command, for: .order, now: now), now: now)
    }

    /// Sends a command, as soon as the controller takes it.
    mutating func send(_ command: some HCICommand, now: Instant) {
        send(HCI.EncodedCommand(command), now: now)
    }

    /// Sends a packet that is no command.
    mutating func sendPacket(_ packet: [UInt8]) {
        packets.append(packet)
    }

    mutating func takePackets() -> [[UInt8]] {
        defer { packets = [] }
        return packets
    }

    /// Takes an event, if it answers a command.
    mutating func receive(_ event: HCI.Event, now: Instant) -> Progress? {
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

    var nextDeadline: Instant? { queue.nextDeadline }

    mutating func deadlinePassed(now: Instant) -> Progress? {
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
            case .finished(.order, _): break
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
