// SPDX-License-Identifier: Apache-2.0

/// The messages that the broker has not yet acknowledged, oldest first.
///
/// Above its bounds, the outbox drops the oldest events that are not in flight. It never drops an
/// answer. Answers are few, because commands arrive only while the broker is connected, and at most
/// `FleetCore.commandLimit` of them are under way.
struct Outbox {
    /// The number of messages above which the outbox drops events.
    static let messageLimit = 10_000
    /// The size of all messages in bytes above which the outbox drops events.
    static let byteLimit = 16 << 20
    /// The maximum number of messages that are sent and not yet acknowledged.
    static let inFlightLimit = 16

    let messageLimit: Int
    /// The messages with their numbers.
    private(set) var messages: [(number: UInt64, message: FleetMessage)] = []
    private(set) var bytes = 0
    /// The number of the next message. A number is never used twice.
    private(set) var nextNumber: UInt64 = 1
    /// The number of events that were dropped because the outbox was full.
    private(set) var droppedCount = 0
    private var inFlight: Set<UInt64> = []

    init(messageLimit: Int = Outbox.messageLimit) {
        self.messageLimit = messageLimit
    }

    var inFlightCount: Int { inFlight.count }

    /// Adds a message at the end.
    ///
    /// - Returns: Its number, and the numbers of the events that were dropped for it.
    mutating func append(_ message: FleetMessage) -> (number: UInt64, dropped: [UInt64]) {
        let number = nextNumber
        restore(message, number: number)
        var dropped: [UInt64] = []
        while messages.count > messageLimit || bytes > Self.byteLimit {
            guard
                let oldest = messages.firstIndex(where: {
                    $0.message.kind == .event && $0.number != number
                        && !inFlight.contains($0.number)
                })
            else { break }
            dropped.append(messages[oldest].number)
            bytes -= messages[oldest].message.size
            messages.remove(at: oldest)
            droppedCount += 1
        }
        return (number, dropped)
    }

    /// Adds a message of the journal with its number.
    mutating func restore(_ message: FleetMessage, number: UInt64) {
        messages.append((number, message))
        bytes += message.size
        nextNumber = max(nextNumber, number + 1)
    }

    /// Sets the number of the next message, if it is higher.
    mutating func advance(to number: UInt64) { nextNumber = max(nextNumber, number) }

    /// Returns the next messages to send, which then are in flight.
    mutating func takeSendable() -> [(number: UInt64, message: FleetMessage)] {
        guard inFlight.count < Self.inFlightLimit else { return [] }
        var taken: [(number: UInt64, message: FleetMessage)] = []
        // This loop is short, because the messages in flight are at the beginning or near it.
        for entry in messages where !inFlight.contains(entry.number) {
            taken.append(entry)
            inFlight.insert(entry.number)
            if inFlight.count == Self.inFlightLimit { break }
        }
        return taken
    }

    /// Removes a message that the broker has acknowledged. Returns `false` if there is none.
    mutating func acknowledge(_ number: UInt64) -> Bool {
        inFlight.remove(number)
        guard let index = messages.firstIndex(where: { $0.number == number }) else { return false }
        bytes -= messages[index].message.size
        messages.remove(at: index)
        return true
    }
}
