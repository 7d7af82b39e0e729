// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Finds the controller at the end of a serial line, and brings both to the speed that is wanted.
///
/// It greets: HCI Reset, whose answer can be told from whatever else is on a line (Vol 4, Part A, 4),
/// then Read Local Version Information. Where no other speed is wanted, that is all. Otherwise the
/// vendor's command follows, both ends change their speed, and a second greeting at the new speed
/// proves that it works: with the Reset that a host is going to begin with. If it does not work, the
/// line goes on at the old speed, and `Outcome.notice` says so.
///
/// A controller that was left at the new speed, because the process that changed it died, is found as
/// well: speeds are tried in turn.
struct SerialStartUp: Sendable {
    /// How long an answer may take.
    static let answerTimeout = Duration.seconds(1)
    /// How often a greeting is tried at each speed at which the controller may be.
    static let greetingLimit = 3
    /// How often at a speed that it has just been told.
    static let proofLimit = 2
    /// How long a command needs at most to leave a slow line: ten octets at 9,600 bits per second.
    static let leavingTime = Duration.milliseconds(20)

    /// What there is to be done on the line.
    enum Action: Equatable, Sendable {
        /// Change the speed of this end, and forget what has arrived.
        case setSpeed(Int)
        /// Write these bytes.
        case send([UInt8])
        /// The controller is there.
        case finish(Outcome)
        /// It is not: it was silent at all of these speeds.
        case fail(speeds: [Int])
    }

    /// How a line is used from now on.
    struct Outcome: Equatable, Sendable {
        let speed: Int
        /// Why that is not the speed that was wanted; nil if it is.
        var notice: String?
    }

    /// What a greeting is for.
    private enum Purpose {
        /// To find the controller, for the n-th time.
        case search(Int)
        /// To prove the new speed, for the n-th time.
        case proof(Int)
        /// To go back to the old speed, because of this, for the n-th time.
        case retreat(Int, reason: String)
    }

    private enum State {
        case idle
        case awaitingReset(Purpose)
        case awaitingVersion(Purpose)
        /// The first of these was sent.
        case awaitingOrder(ArraySlice<SerialVendor.Order>, SerialVendor)
        /// The last order is on the line, and is not answered.
        case leaving(SerialVendor)
        /// The controller changes its speed.
        case settling
        case finished
    }

    private let speed: Int
    private let startSpeed: Int
    private let vendor: SerialVendor?
    private var state = State.idle
    /// At which this end is.
    private var currentSpeed: Int
    private var deframer = H4Deframer()

    /// When `deadlinePassed(now:)` is to be called; nil if nothing is awaited.
    private(set) var nextDeadline: Instant?

    /// A start-up of a line whose port has been set to the last of `openingSpeeds`.
    init(_ line: SerialLine) {
        speed = line.speed
        startSpeed = line.startSpeed ?? line.speed
        vendor = line.vendor
        currentSpeed = startSpeed
    }

    /// The speeds to which the port is to be set before, in this order: the one that is wanted only to
    /// learn whether the port can do it, before the controller is told.
    var openingSpeeds: [Int] { speeds.reversed() }

    private var speeds: [Int] { speed == startSpeed ? [speed] : [startSpeed, speed] }

    /// The port is open.
    mutating func begin(now: Instant) -> [Action] {
        greet(.search(0), at: startSpeed, now: now)
    }

    /// Bytes arrived, cut anyhow.
    mutating func receive(_ bytes: ArraySlice<UInt8>, now: Instant) -> [Action] {
        guard isListening else { return [] }
        deframer.append(bytes)
        var actions: [Action] = []
        do throws(H4FramingError) {
            // Bounded: each packet is taken out of what has arrived.
            while isListening, let packet = try deframer.next() {
                actions += receive(packet, now: now)
            }
            return actions
        } catch {
            return actions + noiseHeard(now: now)
        }
    }

    /// Whether what comes means anything. While the two speeds differ it does not.
    private var isListening: Bool {
        switch state {
        case .idle, .leaving, .settling, .finished: false
        case .awaitingReset, .awaitingVersion, .awaitingOrder: true
        }
    }

    private mutating func noiseHeard(now: Instant) -> [Action] {
        deframer.reset()
        switch state {
        // As if no answer had come, and at once.
        case .awaitingReset(let purpose), .awaitingVersion(let purpose):
            return notAnswered(purpose, now: now)
        // The order is out: its answer may follow, or the deadline comes.
        case .awaitingOrder, .idle, .leaving, .settling, .finished: return []
        }
    }

    /// The time that `nextDeadline` named has come.
    mutating func deadlinePassed(now: Instant) -> [Action] {
        nextDeadline = nil
        switch state {
        case .idle, .finished: return []
        case .awaitingReset(let purpose), .awaitingVersion(let purpose):
            return notAnswered(purpose, now: now)
        // Perhaps it answers at the new speed: the proof will tell.
        case .awaitingOrder(_, let vendor), .leaving(let vendor):
            return settle(vendor, now: now)
        case .settling: return greet(.proof(0), at: speed, now: now)
        }
    }
}

// MARK: - Greeting

extension SerialStartUp {
    private mutating func greet(_ purpose: Purpose, at speed: Int, now: Instant) -> [Action] {
        state = .awaitingReset(purpose)
        nextDeadline = now + Self.answerTimeout
        deframer.reset()
        deframer.resynchronise()
        let reset = Action.send(HCI.EncodedCommand(HCI.Reset()).h4Packet)
        guard speed != currentSpeed else { return [reset] }
        currentSpeed = speed
        return [.setSpeed(speed), reset]
    }

    private mutating func notAnswered(_ purpose: Purpose, now: Instant) -> [Action] {
        switch purpose {
        case .search(let count):
            guard count + 1 < Self.greetingLimit * speeds.count else { return fail() }
            return greet(.search(count + 1), at: speeds[(count + 1) % speeds.count], now: now)
        case .proof(let count):
            guard count + 1 < Self.proofLimit else {
                return retreat(because: "it does not answer at \(speed)", now: now)
            }
            return greet(.proof(count + 1), at: speed, now: now)
        case .retreat(let count, let reason):
            guard count + 1 < Self.greetingLimit else { return fail() }
            return greet(.retreat(count + 1, reason: reason), at: startSpeed, now: now)
        }
    }

    private mutating func retreat(because reason: String, now: Instant) -> [Action] {
        greet(.retreat(0, reason: reason), at: startSpeed, now: now)
    }

    private mutating func answered(_ purpose: Purpose, company: UInt16, now: Instant) -> [Action] {
        switch purpose {
        case .search where currentSpeed != speed: changeSpeed(company: company, now: now)
        case .search, .proof: finish(notice: nil)
        case .retreat(_, let reason): finish(notice: reason)
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
        return [.fail(speeds: speeds)]
    }
}

// MARK: - Changing the speed

extension SerialStartUp {
    private mutating func changeSpeed(company: UInt16, now: Instant) -> [Action] {
        guard let vendor = vendor ?? SerialVendor(company: company) else {
            return finish(
                notice: "no command is known that changes the speed of controllers of company "
                    + "0x\(HCI.hexadecimal(company, digits: 4))"
            )
        }
        guard let orders = vendor.orders(for: speed) else {
            return finish(notice: "\(vendor.rawValue) controllers cannot use \(speed)")
        }
        return order(orders[...], vendor, now: now)
    }

    private mutating func order(
        _ orders: ArraySlice<SerialVendor.Order>,
        _ vendor: SerialVendor,
        now: Instant
    ) -> [Action] {
        guard let order = orders.first else { return settle(vendor, now: now) }
        if order.isAnswered {
            state = .awaitingOrder(orders, vendor)
            nextDeadline = now + Self.answerTimeout
        } else {
            state = .leaving(vendor)
            nextDeadline = now + Self.leavingTime
        }
        return [.send(order.packet)]
    }

    /// Goes to the new speed, and gives the controller time to do the same.
    private mutating func settle(_ vendor: SerialVendor, now: Instant) -> [Action] {
        state = .settling
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
        // Whatever else it says is from before.
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
            nextDeadline = now + Self.answerTimeout
            return [.send(HCI.EncodedCommand(HCI.ReadLocalVersionInformation()).h4Packet)]
        case .awaitingVersion(let purpose) where opcode == .readLocalVersionInformation:
            guard let version = try? result.decode(as: HCI.ReadLocalVersionInformation.self) else {
                return notAnswered(purpose, now: now)
            }
            return answered(purpose, company: version.company, now: now)
        case .awaitingOrder(let orders, let vendor) where opcode.rawValue == orders.first?.opcode:
            do throws(CommandFailure) {
                try result.requireSuccess()
                return order(orders.dropFirst(), vendor, now: now)
            } catch {
                return finish(notice: "the controller refused to change its speed to \(speed)")
            }
        default: return []
        }
    }
}
