// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The procedure that finds the controller at the end of a serial line, and changes both ends to
/// the requested speed.
///
/// A probe consists of HCI Reset, whose answer can be distinguished from any other bytes on the
/// line (Vol 4, Part A, 4), and Read Local Version Information. If the controller answers at the
/// requested speed, the startup is complete. If it answers at its initial speed, the vendor's
/// command follows, and both ends change their speed. A second probe verifies the new speed. If the
/// speed cannot be changed, the line continues at the old speed, and `Outcome.notice` contains the
/// reason.
///
/// The startup also finds a controller that was left at the new speed because the process that
/// changed it ended unexpectedly: it tries the speeds in turn.
struct SerialStartUp: Sendable {
    /// The default time in which an answer must arrive.
    static let answerTimeout = Duration.seconds(1)
    /// The maximum number of probes at each speed that the controller may have.
    static let probeLimit = 3
    /// The maximum number of probes at a speed to which the controller was just changed.
    static let verificationLimit = 2
    /// The wait after a command that has no answer. During this time, the command is transmitted at
    /// the old speed. Ten bytes take 10.4 ms at 9,600 bits per second.
    static let transmissionTime = Duration.milliseconds(20)

    /// An instruction to the owner of the line.
    enum Action: Equatable, Sendable {
        /// Change the speed of the local end, and discard received bytes.
        case setSpeed(Int)
        /// Write these bytes.
        case send([UInt8])
        /// Finish, because the controller answers.
        case finish(Outcome)
        /// Fail, because the controller did not answer at any of these speeds.
        case fail(speeds: [Int])
    }

    /// The settings of the line after the startup.
    struct Outcome: Equatable, Sendable {
        let speed: Int
        /// The reason why the speed is not the requested one, or `nil` if it is.
        var notice: String?
    }

    private enum Purpose {
        /// To find the controller, with the number of the attempt.
        case search(Int)
        /// To verify the new speed, with the number of the attempt.
        case verification(Int)
        /// To return to the old speed for this reason, with the number of the attempt.
        case fallback(Int, reason: String)
    }

    private enum State {
        case idle
        case awaitingReset(Purpose)
        case awaitingVersion(Purpose)
        /// The first of these commands was sent.
        case awaitingCommand(ArraySlice<SerialVendor.Command>, SerialVendor)
        /// The last command is being transmitted, and has no answer.
        case transmitting(SerialVendor)
        /// The controller is changing its speed.
        case changingSpeed
        case finished
    }

    private let speed: Int
    private let startSpeed: Int
    private let vendor: SerialVendor?
    private let answerTimeout: Duration
    private var state = State.idle
    /// The speed of the local end.
    private var currentSpeed: Int
    private var deframer = H4Deframer()

    /// The time at which to call `deadlinePassed(now:)`, or `nil` if no deadline is pending.
    private(set) var nextDeadline: Instant?

    /// Creates the startup of a line. When it begins, the port must have the last speed of
    /// `openingSpeeds`.
    init(_ line: SerialLine, answerTimeout: Duration = Self.answerTimeout) {
        self.answerTimeout = answerTimeout
        speed = line.speed
        startSpeed = line.startSpeed ?? line.speed
        vendor = line.vendor
        currentSpeed = startSpeed
    }

    /// The speeds to which the port must be set first, in this order. The requested speed is
    /// included to test whether the port supports it, before the controller is changed.
    var openingSpeeds: [Int] { speeds.reversed() }

    private var speeds: [Int] { speed == startSpeed ? [speed] : [startSpeed, speed] }

    /// Starts after the port has been opened.
    mutating func begin(now: Instant) -> [Action] {
        probe(.search(0), at: startSpeed, now: now)
    }

    /// Processes received bytes, fragmented in any way.
    mutating func receive(_ bytes: ArraySlice<UInt8>, now: Instant) -> [Action] {
        guard isListening else { return [] }
        deframer.append(bytes)
        var actions: [Action] = []
        do throws(H4FramingError) {
            // The loop is bounded, because each packet is removed from the received bytes.
            while isListening, let packet = try deframer.next() {
                actions += receive(packet, now: now)
            }
            return actions
        } catch {
            return actions + invalidBytesReceived(now: now)
        }
    }

    /// Whether the startup waits for bytes of the controller.
    private var isListening: Bool {
        switch state {
        case .idle, .transmitting, .changingSpeed, .finished: false
        case .awaitingReset, .awaitingVersion, .awaitingCommand: true
        }
    }

    private mutating func invalidBytesReceived(now: Instant) -> [Action] {
        deframer.reset()
        switch state {
        // Invalid bytes count as a missing answer. There is no need to wait for the deadline.
        case .awaitingReset(let purpose), .awaitingVersion(let purpose):
            return notAnswered(purpose, now: now)
        // The command was sent, so its answer may still follow. If it does not, the deadline
        // passes.
        case .awaitingCommand, .idle, .transmitting, .changingSpeed, .finished: return []
        }
    }

    /// Continues after the time of `nextDeadline`.
    mutating func deadlinePassed(now: Instant) -> [Action] {
        nextDeadline = nil
        switch state {
        case .idle, .finished: return []
        case .awaitingReset(let purpose), .awaitingVersion(let purpose):
            return notAnswered(purpose, now: now)
        // The controller may have changed its speed without an answer. The verification determines
        // whether it did.
        case .awaitingCommand(_, let vendor), .transmitting(let vendor):
            return changeLocalSpeed(vendor, now: now)
        case .changingSpeed: return probe(.verification(0), at: speed, now: now)
        }
    }
}

// MARK: - Probes

extension SerialStartUp {
    private mutating func probe(_ purpose: Purpose, at speed: Int, now: Instant) -> [Action] {
        state = .awaitingReset(purpose)
        nextDeadline = now + answerTimeout
        deframer.reset()
        deframer.resynchronize()
        let reset = Action.send(HCI.EncodedCommand(HCI.Reset()).h4Packet)
        guard speed != currentSpeed else { return [reset] }
        currentSpeed = speed
        return [.setSpeed(speed), reset]
    }

    private mutating func notAnswered(_ purpose: Purpose, now: Instant) -> [Action] {
        switch purpose {
        case .search(let count):
            guard count + 1 < Self.probeLimit * speeds.count else { return fail() }
            return probe(.search(count + 1), at: speeds[(count + 1) % speeds.count], now: now)
        case .verification(let count):
            guard count + 1 < Self.verificationLimit else {
                return fallBack(because: "it does not answer at \(speed)", now: now)
            }
            return probe(.verification(count + 1), at: speed, now: now)
        case .fallback(let count, let reason):
            guard count + 1 < Self.probeLimit else { return fail() }
            return probe(.fallback(count + 1, reason: reason), at: startSpeed, now: now)
        }
    }

    private mutating func fallBack(because reason: String, now: Instant) -> [Action] {
        probe(.fallback(0, reason: reason), at: startSpeed, now: now)
    }

    private mutating func answered(_ purpose: Purpose, company: UInt16, now: Instant) -> [Action] {
        switch purpose {
        case .search where currentSpeed != speed: changeSpeed(company: company, now: now)
        case .search, .verification: finish(notice: nil)
        case .fallback(_, let reason): finish(notice: reason)
        }
    }

    private mutating func finish(notice: String?) -> [Action] {
        state = .finished
        nextDeadline = nil
        let text = notice.map { "the line stays at \(currentSpeed) bits per second: \($0)" }
        return [.finish(Outcome(speed: currentSpeed, notice: text))]
    }

    private mutating func fail() -> [Action] {
        state = .finished
        nextDeadline = nil
        return [.fail(speeds: speeds)]
    }
}

// MARK: - Changing the speed

extension SerialStartUp {
    private mutating func changeSpeed(company: UInt16, now: Instant) -> [Action] {
        guard let vendor = vendor ?? SerialVendor(company: company) else {
            return finish(
                notice: "no command is known that changes the speed of controllers of company "
                    + "0x\(company.hexadecimal(digits: 4))"
            )
        }
        guard let commands = vendor.commands(for: speed) else {
            return finish(notice: "\(vendor.rawValue) controllers cannot use \(speed)")
        }
        return send(commands[...], vendor, now: now)
    }

    private mutating func send(
        _ commands: ArraySlice<SerialVendor.Command>,
        _ vendor: SerialVendor,
        now: Instant
    ) -> [Action] {
        guard let command = commands.first else { return changeLocalSpeed(vendor, now: now) }
        if command.isAnswered {
            state = .awaitingCommand(commands, vendor)
            nextDeadline = now + answerTimeout
        } else {
            state = .transmitting(vendor)
            nextDeadline = now + Self.transmissionTime
        }
        return [.send(command.packet)]
    }

    /// Changes to the new speed, and gives the controller the time to do the same.
    private mutating func changeLocalSpeed(_ vendor: SerialVendor, now: Instant) -> [Action] {
        state = .changingSpeed
        nextDeadline = now + vendor.settlingTime
        currentSpeed = speed
        return [.setSpeed(speed)]
    }
}

// MARK: - Answers

extension SerialStartUp {
    private mutating func receive(_ packet: HCI.Packet, now: Instant) -> [Action] {
        guard case .event(let code, let parameters) = packet,
            let event = try? HCI.Event(code: code, parameters: parameters)
        else { return [] }
        switch event {
        case .commandComplete(let answer):
            return answered(answer.opcode, .complete(answer.returnParameters), now: now)
        case .commandStatus(let answer):
            return answered(answer.opcode, .status(answer.status), now: now)
        // Other events result from earlier activity.
        default: return []
        }
    }

    private mutating func answered(
        _ opcode: HCI.Opcode,
        _ result: CommandResult,
        now: Instant
    ) -> [Action] {
        switch state {
        case .awaitingReset(let purpose) where opcode == .reset:
            state = .awaitingVersion(purpose)
            nextDeadline = now + answerTimeout
            return [.send(HCI.EncodedCommand(HCI.ReadLocalVersionInformation()).h4Packet)]
        case .awaitingVersion(let purpose) where opcode == .readLocalVersionInformation:
            guard let version = try? result.decode(as: HCI.ReadLocalVersionInformation.self) else {
                return notAnswered(purpose, now: now)
            }
            return answered(purpose, company: version.company, now: now)
        case .awaitingCommand(let commands, let vendor)
        where opcode.rawValue == commands.first?.opcode:
            do throws(CommandFailure) {
                try result.requireSuccess()
                return send(commands.dropFirst(), vendor, now: now)
            } catch {
                return finish(notice: "the controller refused to change its speed to \(speed)")
            }
        default: return []
        }
    }
}
