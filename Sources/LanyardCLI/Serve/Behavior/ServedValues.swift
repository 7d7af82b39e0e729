// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The current values of a served database, by the handles of the values. It answers reads and
/// writes, advances values that change, and returns the echoes to send.
///
/// The values are `dynamic` for the server: at each read and write, the server first checks the
/// permissions, and then asks the program, which can therefore report the request.
struct ServedValues: Sendable {
    /// The value of one characteristic.
    private struct Entry: Sendable {
        let template: ValueTemplate
        let maximumLength: Int
        let period: Duration?
        var echo: AttributeHandle?
        /// The index of a value in the sequence of the template. With a period, this is the index
        /// of the current value. Without one, it is the index of the value that the next read gets.
        var index = 0
        var bytes: [UInt8]
    }

    /// The reason why writes are refused, and the value that caused it.
    struct Refusal: Error, Equatable {
        let code: ATT.ErrorCode
        let handle: AttributeHandle
    }

    /// A value to send back to the client that wrote it.
    struct Echo: Equatable, Sendable {
        let handle: AttributeHandle
        let value: [UInt8]
    }

    private var entries: [AttributeHandle: Entry] = [:]

    /// Creates a store without values.
    init() {}

    /// Creates a store with the values of published services.
    init(_ published: [(ServedService, GATT.DiscoveredService)]) {
        for (served, service) in published {
            for (served, characteristic) in zip(served.values, service.characteristics) {
                put(served, at: characteristic.valueHandle)
            }
        }
        for (served, service) in published {
            for (served, characteristic) in zip(served.values, service.characteristics) {
                let handle = characteristic.valueHandle
                entries[handle]?.echo = served.echo.flatMap { echo in
                    switch echo {
                    case .itself: handle
                    case .other(let uuid): Self.find(uuid, in: [service] + published.map(\.1))
                    }
                }
            }
        }
    }

    private mutating func put(_ served: ServedValue, at handle: AttributeHandle) {
        entries[handle] = Entry(
            template: served.template,
            maximumLength: served.maximumLength,
            period: served.period,
            bytes: served.template.bytes(every: served.period?.inSeconds ?? 0)
        )
    }

    private static func find(
        _ uuid: BluetoothUUID,
        in services: [GATT.DiscoveredService]
    ) -> AttributeHandle? {
        services.lazy.compactMap { $0.characteristic(uuid)?.valueHandle }.first
    }
}

// Requests of clients.
extension ServedValues {
    /// Returns the value from `offset` on. A changing value without a period changes when its
    /// beginning is read, so that the parts of a long value belong together.
    mutating func read(
        _ handle: AttributeHandle,
        offset: Int
    ) -> Result<[UInt8], ATT.ErrorCode> {
        guard var entry = entries[handle] else { return .failure(.invalidHandle) }
        if offset == 0, entry.period == nil, entry.template.isMoving {
            entry.bytes = entry.template.bytes(at: entry.index)
            entry.index += 1
            entries[handle] = entry
        }
        guard offset <= entry.bytes.count else { return .failure(.invalidOffset) }
        return .success(Array(entry.bytes.dropFirst(offset)))
    }

    /// Writes all of the values or none. Returns the echoes to send.
    mutating func write(_ writes: [GATT.WriteEntry]) -> Result<[Echo], Refusal> {
        var changed = entries
        for write in writes {
            guard let entry = changed[write.handle] else { continue }
            switch Self.value(entry.bytes, after: write, limit: entry.maximumLength) {
            case .success(let value): changed[write.handle]?.bytes = value
            case .failure(let code):
                return .failure(Refusal(code: code, handle: write.handle))
            }
        }
        entries = changed
        return .success(echoes(of: writes.map(\.handle)))
    }

    /// Returns the value after a write. A write at the beginning replaces the whole value. A write
    /// at an offset replaces the bytes there. The offset cannot be beyond the end.
    private static func value(
        _ bytes: [UInt8],
        after write: GATT.WriteEntry,
        limit: Int
    ) -> Result<[UInt8], ATT.ErrorCode> {
        guard write.offset <= bytes.count else { return .failure(.invalidOffset) }
        guard write.offset + write.value.count <= limit else {
            return .failure(.invalidAttributeValueLength)
        }
        guard write.offset > 0 else { return .success(write.value) }
        let end = write.offset + write.value.count
        return .success(bytes.prefix(write.offset) + write.value + bytes.dropFirst(end))
    }

    /// Returns one echo for each value that has an echo, however many parts it was written in.
    private func echoes(of handles: [AttributeHandle]) -> [Echo] {
        var echoed: Set<AttributeHandle> = []
        return handles.compactMap { handle in
            guard echoed.insert(handle).inserted, let entry = entries[handle],
                let target = entry.echo
            else { return nil }
            return Echo(handle: target, value: entry.bytes)
        }
    }
}

// Changes by time and by commands.
extension ServedValues {
    /// The periods of the values that have one, in the order of the handles.
    var periods: [(handle: AttributeHandle, period: Duration)] {
        entries.compactMap { handle, entry in entry.period.map { (handle, $0) } }
            .sorted { $0.handle < $1.handle }
    }

    /// Advances the value by one period and returns it.
    mutating func advance(_ handle: AttributeHandle) -> [UInt8] {
        guard var entry = entries[handle] else { return [] }
        if entry.template.isMoving {
            entry.index += 1
            entry.bytes = entry.template.bytes(
                at: entry.index,
                every: entry.period?.inSeconds ?? 0
            )
            entries[handle] = entry
        }
        return entry.bytes
    }

    /// All values, in the order of their handles.
    var all: [(handle: AttributeHandle, bytes: [UInt8])] {
        entries.map { ($0.key, $0.value.bytes) }.sorted { $0.handle < $1.handle }
    }

    /// Returns the current value; `nil` if there is none.
    func value(of handle: AttributeHandle) -> [UInt8]? { entries[handle]?.bytes }

    /// Sets a value. Returns the reason if the value cannot be set; otherwise, `nil`.
    mutating func set(_ bytes: [UInt8], of handle: AttributeHandle) -> String? {
        guard var entry = entries[handle] else { return "there is no value #\(handle.rawValue)" }
        guard !entry.template.isMoving else {
            return "its value changes by itself (a ramp, a sine, a counter or a list); "
                + "only a value that is constant in the file can be set"
        }
        guard bytes.count <= entry.maximumLength else {
            let limit = entry.maximumLength
            return "it holds at most \(limit) \(limit == 1 ? "byte" : "bytes"), and "
                + "\(bytes.count) were given; maximumLength in the file sets the limit"
        }
        entry.bytes = bytes
        entries[handle] = entry
        return nil
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// The times at which values with a period are due.
struct PeriodSchedule: Sendable {
    private struct Entry: Sendable {
        let handle: AttributeHandle
        let period: Duration
        var next: Instant
    }

    private var entries: [Entry]

    /// Creates a schedule in which each value is due for the first time after one period.
    init(_ periods: [(handle: AttributeHandle, period: Duration)], now: Instant) {
        entries = periods.map { Entry(handle: $0.handle, period: $0.period, next: now + $0.period) }
    }

    /// The time at which the next value is due; `nil` if no value has a period.
    var nextDeadline: Instant? { entries.map(\.next).min() }

    /// Returns the values that are due. Periods that have passed without a call are skipped.
    mutating func takeDue(now: Instant) -> [AttributeHandle] {
        entries.indices.filter { entries[$0].next <= now }.map { index in
            let due = entries[index].next + entries[index].period
            entries[index].next = due > now ? due : now + entries[index].period
            return entries[index].handle
        }
    }
}
