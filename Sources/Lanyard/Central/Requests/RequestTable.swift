// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The requests that one accessory has not yet answered.
///
/// Core Bluetooth does not report which request an answer belongs to, but answers requests of one
/// kind in order. A request for which no task waits anymore therefore stays in the table until its
/// answer arrives. Otherwise a later request would receive that answer.
struct RequestTable {
    /// The maximum number of simultaneous requests, including abandoned ones.
    static let limit = 256

    /// The subject of a request.
    enum Subject: Hashable, Sendable {
        /// The value of a characteristic.
        case read(CharacteristicPath)
        /// The value of a characteristic, to test whether it may be read.
        case probe(CharacteristicPath)
        /// The strength of the accessory's signal.
        case signal
        /// An L2CAP channel with this PSM.
        case channel(UInt16)
        /// All services.
        case services
        /// The services that the state machine needs.
        case neededServices
        /// The services that a service includes.
        case includedServices(AttributeReference)
        /// All characteristics of a service.
        case characteristics(AttributeReference)
        /// The descriptors of a characteristic.
        case descriptors(AttributeReference)
        /// The value of a characteristic or a descriptor that was discovered for the app.
        case value(AttributeReference)

        /// The characteristic of the request, if there is one.
        var path: CharacteristicPath? {
            switch self {
            case .read(let path), .probe(let path): path
            case .signal, .channel, .services, .neededServices, .includedServices, .characteristics,
                .descriptors, .value:
                nil
            }
        }
    }

    private struct Entry {
        let number: Int
        let subject: Subject
        /// The characteristic that is read, as it was discovered; `nil` for other requests.
        let characteristic: AttributeReference?
        var deadline: Duration?
        var isAwaited = true
    }

    private var entries: [Entry] = []

    /// Whether the table is full.
    var isFull: Bool { entries.count >= Self.limit }

    /// The earliest deadline of an awaited request; `nil` if there is none.
    var nextDeadline: Duration? {
        entries.lazy.filter(\.isAwaited).compactMap(\.deadline).min()
    }

    /// Adds a request.
    ///
    /// - Parameter characteristic: The characteristic that is read, as it was discovered.
    mutating func add(
        _ number: Int,
        _ subject: Subject,
        of characteristic: AttributeReference? = nil,
        deadline: Duration?
    ) {
        entries.append(
            Entry(
                number: number,
                subject: subject,
                characteristic: characteristic,
                deadline: deadline
            )
        )
    }

    /// Removes the first request whose subject satisfies the predicate, because its answer has
    /// arrived.
    ///
    /// - Returns: The request, or `nil` if there was none.
    mutating func answered(
        _ predicate: (Subject) -> Bool
    ) -> (number: Int, subject: Subject)? {
        guard let index = entries.firstIndex(where: { predicate($0.subject) }) else { return nil }
        let entry = entries.remove(at: index)
        return (entry.number, entry.subject)
    }

    /// Marks a request whose task no longer waits for the answer.
    mutating func abandon(_ number: Int) {
        for index in entries.indices where entries[index].number == number {
            entries[index].isAwaited = false
        }
    }

    /// Marks the awaited requests whose deadline has passed and returns their numbers. Their
    /// answers may still arrive.
    mutating func expired(now: Duration) -> [Int] {
        var numbers: [Int] = []
        for index in entries.indices where entries[index].isAwaited {
            guard let deadline = entries[index].deadline, deadline <= now else { continue }
            entries[index].isAwaited = false
            numbers.append(entries[index].number)
        }
        return numbers
    }

    /// Removes the requests about characteristics of these services, because they will not be
    /// answered. A request about a valid characteristic stays: another service with the same UUID
    /// has changed.
    ///
    /// - Returns: The numbers of the requests that tasks wait for.
    mutating func removeAll(
        of services: Set<BluetoothID>,
        unless isValid: (AttributeReference) -> Bool
    ) -> [Int] {
        let removed = entries.filter { entry in
            guard let path = entry.subject.path, services.contains(path.service) else {
                return false
            }
            return !(entry.characteristic.map(isValid) ?? false)
        }
        let numbers = Set(removed.map(\.number))
        entries.removeAll { numbers.contains($0.number) }
        return removed.filter(\.isAwaited).map(\.number)
    }

    /// Ends the explorations (see `CentralDriver.explore(_:)`), because services have changed. An
    /// exploration of an attribute that is no longer valid gets no answer, and is removed. The
    /// other explorations stay in the table until their answers arrive, although no task waits for
    /// them anymore.
    ///
    /// - Returns: The numbers of the explorations that tasks wait for.
    mutating func loseExplorations(_ isValid: (AttributeReference) -> Bool) -> [Int] {
        var numbers: [Int] = []
        entries = entries.compactMap { entry in
            guard entry.subject == .services || entry.subject.attribute != nil else { return entry }
            if entry.isAwaited { numbers.append(entry.number) }
            guard entry.subject.attribute.map(isValid) ?? true else { return nil }
            var entry = entry
            entry.isAwaited = false
            return entry
        }
        return numbers
    }

    /// Removes all requests.
    mutating func removeAll() {
        entries = []
    }
}

/// The answer to a request.
enum RequestAnswer: Sendable {
    /// A value.
    case value(Data)
    /// The strength of the signal (RSSI), in dBm.
    case signal(Int)
    /// An open channel.
    case channel(ByteChannel)
    /// The attributes that a discovery found.
    case attributes([SystemAttribute])
    /// The contents of a descriptor.
    case descriptor(DescriptorContent)
    /// The completion of a write.
    case done
}

/// The closures that receive the answer to a request, and the progress and the beginning of a write.
struct RequestReply: Sendable {
    let complete: @Sendable (Result<RequestAnswer, AccessoryError>) -> Void
    var progress: (@Sendable (Int) -> Void)?
    /// A closure that is called when the system gets a write with response.
    var begun: (@Sendable () -> Void)?
}
