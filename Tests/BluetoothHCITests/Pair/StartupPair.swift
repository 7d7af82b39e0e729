// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHCI

/// A host's startup, command queue and deframer, connected to a scripted controller by bytes in
/// memory, in virtual time.
struct StartupPair {
    enum Outcome: Equatable {
        case ended(ControllerStartup.Progress)
        case unresponsive
        case lostFraming(H4FramingError)
        /// Startup has not ended, although no work is left or 10,000 steps have run.
        case stuck
    }

    var controller = ScriptedController()
    /// Returns the bytes that arrive at the host for a response of the controller, such as no bytes
    /// for a lost response. `number` is the number of the command. By default, each response
    /// arrives unchanged.
    var wire: @Sendable (_ answer: [UInt8], _ number: Int) -> [UInt8] = { answer, _ in answer }
    /// The number of bytes that arrive at once.
    var pieceLength = Int.max

    private(set) var now = Instant.zero
    private var startup = ControllerStartup(randomAddress: nil)
    private var queue = CommandQueue<HCI.Opcode>()
    private var deframer = H4Deframer()
    private var inbox: ArraySlice<UInt8> = []
    private var commandCount = 0
    private var outcome: Outcome?

    /// Runs startup to its outcome.
    mutating func run() -> Outcome {
        sendNext()
        for _ in 0..<10_000 {
            if let outcome { return outcome }
            if !inbox.isEmpty {
                deliver()
            } else if let deadline = queue.nextDeadline {
                now = deadline
                perform(queue.deadlinePassed(now: now))
            } else {
                return .stuck
            }
        }
        return .stuck
    }

    private mutating func sendNext() {
        guard let command = startup.next() else { return }
        perform(queue.enqueue(command, for: command.opcode, now: now))
    }

    private mutating func deliver() {
        let piece = inbox.prefix(pieceLength)
        inbox = inbox.dropFirst(piece.count)
        deframer.append(piece)
        do {
            while let packet = try deframer.next() { receive(packet) }
        } catch {
            outcome = .lostFraming(error)
        }
    }

    private mutating func receive(_ packet: HCI.Packet) {
        guard case .event(let code, let parameters) = packet,
            let event = try? HCI.Event(code: code, parameters: parameters)
        else { return }
        switch event {
        case .commandComplete(let event):
            perform(
                queue.commandCompleted(
                    opcode: event.opcode,
                    allowedPackets: event.allowedPackets,
                    returnParameters: event.returnParameters,
                    now: now
                )
            )
        case .commandStatus(let event):
            perform(
                queue.commandStatus(
                    opcode: event.opcode,
                    allowedPackets: event.allowedPackets,
                    status: event.status,
                    now: now
                )
            )
        default: break
        }
    }

    private mutating func perform(_ actions: [CommandQueue<HCI.Opcode>.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): send(bytes)
            case .finished(_, let result): finished(result)
            case .unresponsive: outcome = .unresponsive
            }
        }
    }

    private mutating func send(_ bytes: [UInt8]) {
        guard case .command(let opcode, let parameters) = try? HCI.Packet(h4: bytes[...]),
            let command = try? HCI.command(opcode: opcode, parameters: parameters)
        else {
            Issue.record("Not a command: \(bytes.hexadecimal)")
            return
        }
        guard case .complete(let answer) = controller.receive(HCI.EncodedCommand(command)) else {
            return
        }
        let event = HCI.Event.commandComplete(
            .init(allowedPackets: 1, opcode: opcode, returnParameters: answer)
        )
        inbox += wire(event.packet.h4Bytes, commandCount)
        commandCount += 1
    }

    private mutating func finished(_ result: CommandResult) {
        guard outcome == nil else { return }
        let progress = startup.finished(result)
        if case .continue = progress { sendNext() } else { outcome = .ended(progress) }
    }
}
