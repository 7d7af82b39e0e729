// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

// Records that an application stores from one run to the next.
extension HostCore {
    /// The maximum length of an application's record in bytes. It is shorter than the longest file
    /// of the store.
    package static let applicationRecordLengthLimit = 1_000_000
    /// The maximum number of records.
    package static let applicationRecordLimit = 64

    /// Takes the store's record of this name. Returns `nil`, and reports the entry like any other
    /// unusable entry, if it is not an application's record.
    mutating func recalled(_ bytes: [UInt8], as name: ApplicationName) -> [UInt8]? {
        do throws(RecordFault) {
            let record = try Record.decode(bytes, of: name)
            context.applicationRecords[name] = record
            return record
        } catch {
            context.report(.init(error, RecordName.application(name).key))
            return nil
        }
    }

    /// Replaces a record, or removes it if `bytes` is `nil`.
    mutating func keep(_ bytes: [UInt8]?, as name: ApplicationName, now: Instant) {
        context.applicationRecords[name] = bytes
        if bytes == nil {
            context.discard(.application(name))
        } else {
            context.keep(.application(name))
            context.writeChanges(now: now)
        }
    }
}

extension BluetoothHost {
    /// Returns the record of this name, from this host or, if it has a store, from an earlier run.
    /// Returns `nil` if there is none. A damaged record is set aside and reported as a
    /// `SecurityEvent`.
    ///
    /// - Parameter name: 1 to 52 characters, each a lowercase ASCII letter, a digit or a hyphen.
    package func applicationRecord(_ name: String) -> [UInt8]? {
        guard let name = ApplicationName(name) else { return nil }
        if let record = core.context.applicationRecords[name] { return record }
        let key = RecordName.application(name).key
        guard !core.context.storeState.untouchedKeys.contains(key), let bytes = load(key) else {
            return nil
        }
        defer { drain() }
        return core.recalled(bytes, as: name)
    }

    /// Replaces the record of this name, or removes it if `bytes` is `nil`.
    ///
    /// The host writes the record to its store, if it has one. It writes the first 16 changes at
    /// once, and later changes within a second. After 256 writes, it writes at most once in 30
    /// seconds (see `SaveSchedule`). It writes the last change when it is shut down, at the latest.
    /// A failure is reported as a `SecurityEvent`, and the host tries again.
    ///
    /// - Returns: Whether the host has the record; `false` if `name` is not valid for
    ///   `applicationRecord(_:)`, if there are more than `HostCore.applicationRecordLengthLimit`
    ///   bytes, or if there are already `HostCore.applicationRecordLimit` other names.
    @discardableResult
    package func storeApplicationRecord(_ bytes: [UInt8]?, _ name: String) -> Bool {
        guard let name = ApplicationName(name) else { return false }
        if let bytes {
            guard bytes.count <= HostCore.applicationRecordLengthLimit, hasRoom(for: name) else {
                return false
            }
        }
        core.keep(bytes, as: name, now: executor.now)
        drain()
        return true
    }

    private func hasRoom(for name: ApplicationName) -> Bool {
        var names = Set(core.context.applicationRecords.keys)
        guard !names.contains(name) else { return true }
        for case .application(let stored)? in storedNames { names.insert(stored) }
        return names.contains(name) || names.count < HostCore.applicationRecordLimit
    }

    private var storedNames: [RecordName?] {
        ((try? configuration.store?.keys()) ?? []).map { RecordName($0) }
    }
}
