// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The values of a served database as they are now, by the handles of the values. It answers reads
/// and writes, moves what moves, and says what is to be sent back.
///
/// The server keeps none of them, and asks for each: so every read can be told. Who may do what it
/// has checked before: here are only values.
struct ValueBoard: Sendable {
    /// One characteristic's value.
    private struct Entry: Sendable {
        let uuid: BluetoothUUID
        let template: ValueTemplate
        let maximumLength: Int
        let period: Duration?
        var echo: AttributeHandle?
        /// How many values there have been before the next one, or before this one if it has a
        /// period.
        var count = 0
        var bytes: [UInt8]
    }

    /// A value that is to be sent to who wrote it.
    struct Echo: Equatable, Sendable {
        let handle: AttributeHandle
        let value: [UInt8]
    }

    private var entries: [AttributeHandle: Entry] = [:]

    /// Nothing is on it yet.
    init() {}

    /// Puts up the values of services that are published.
    init(_ published: [(ServedService, GATT.PublishedService)]) {
        for (served, service) in published {
            for (served, characteristic) in zip(served.characteristics, service.characteristics) {
                put(served, at: characteristic.valueHandle)
            }
        }
        for (served, service) in published {
            for (served, characteristic) in zip(served.characteristics, service.characteristics) {
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

    private mutating func put(_ served: ServedCharacteristic, at handle: AttributeHandle) {
        entries[handle] = Entry(
            uuid: served.definition.uuid,
            template: served.template,
            maximumLength: served.maximumLength,
            period: served.period,
            bytes: served.template.bytes(every: served.period?.inSeconds ?? 0)
        )
    }

    private static func find(
        _ uuid: BluetoothUUID,
        in services: [GATT.PublishedService]
    ) -> AttributeHandle? {
        services.lazy.compactMap { $0.characteristic(uuid)?.valueHandle }.first
    }
}

// What clients do.
extension ValueBoard {
    /// The value from `offset` on. A value that moves without a clock moves when its beginning is
    /// read, so that the parts of a long one belong together.
    mutating func read(
        _ handle: AttributeHandle,
        offset: Int
    ) -> Result<[UInt8], ATT.ErrorCode> {
        guard var entry = entries[handle] else { return .failure(.invalidHandle) }
        if offset == 0, entry.period == nil, entry.template.isMoving {
            entry.bytes = entry.template.bytes(after: entry.count)
            entry.count += 1
            entries[handle] = entry
        }
        guard offset <= entry.bytes.count else { return .failure(.invalidOffset) }
        return .success(Array(entry.bytes.dropFirst(offset)))
    }

    /// Writes all of the values, or none; what is to be sent back then.
    mutating func write(_ writes: [GATT.WriteEntry]) -> Result<[Echo], ATT.ErrorCode> {
        var changed = entries
        for write in writes {
            // What the server keeps itself may be written together with what is here.
            guard let entry = changed[write.handle] else { continue }
            switch Self.value(entry.bytes, after: write, limit: entry.maximumLength) {
            case .success(let value): changed[write.handle]?.bytes = value
            case .failure(let code): return .failure(code)
            }
        }
        entries = changed
        return .success(echoes(of: writes.map(\.handle)))
    }

    /// What is written at the beginning takes the place of the whole value, what is written at an
    /// offset that of the octets there; nothing may be left out between.
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

    /// One for each value, however many parts it was written in.
    private func echoes(of handles: [AttributeHandle]) -> [Echo] {
        var told: Set<AttributeHandle> = []
        return handles.compactMap { handle in
            guard told.insert(handle).inserted, let entry = entries[handle],
                let target = entry.echo
            else { return nil }
            return Echo(handle: target, value: entry.bytes)
        }
    }
}

// What happens by itself, and what a person does.
extension ValueBoard {
    /// How often which value is sent, in the order of the handles.
    var periods: [(handle: AttributeHandle, period: Duration)] {
        entries.compactMap { handle, entry in entry.period.map { (handle, $0) } }
            .sorted { $0.handle < $1.handle }
    }

    /// The value to send when its period has passed once more.
    mutating func advance(_ handle: AttributeHandle) -> [UInt8] {
        guard var entry = entries[handle] else { return [] }
        if entry.template.isMoving {
            entry.count += 1
            entry.bytes = entry.template.bytes(
                after: entry.count,
                every: entry.period?.inSeconds ?? 0
            )
            entries[handle] = entry
        }
        return entry.bytes
    }

    /// The value as it is; nil where there is none.
    func value(of handle: AttributeHandle) -> [UInt8]? { entries[handle]?.bytes }

    /// What the value with this handle is; nil where there is none.
    func uuid(of handle: AttributeHandle) -> BluetoothUUID? { entries[handle]?.uuid }

    /// Why a person cannot give the value these octets; nil if that was done.
    mutating func set(_ bytes: [UInt8], of handle: AttributeHandle) -> String? {
        guard var entry = entries[handle] else { return "there is no value #\(handle.rawValue)" }
        guard !entry.template.isMoving else { return "\(entry.uuid) moves by itself" }
        guard bytes.count <= entry.maximumLength else {
            return "\(entry.uuid) holds at most \(entry.maximumLength) octets"
        }
        entry.bytes = bytes
        entries[handle] = entry
        return nil
    }
}

extension Duration {
    /// The same as a number.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
