// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

// What an application wants to find again when it is started the next time.
extension HostCore {
    /// The longest record that an application may keep, in octets: less than a file of the store may
    /// have.
    package static let applicationRecordLengthLimit = 1_000_000
    /// How many records there may be.
    package static let applicationRecordLimit = 64

    /// What the store has under a name; nil if it is not what an application has kept, which is said
    /// as of any other entry.
    mutating func recalled(_ bytes: [UInt8], as name: ApplicationName) -> [UInt8]? {
        do throws(RecordFault) {
            let record = try Record.decode(bytes, of: name)
            applicationRecords[name] = record
            return record
        } catch {
            report(.init(error, RecordName.application(name).key))
            return nil
        }
    }

    /// Keeps a record, or removes it.
    mutating func keep(_ bytes: [UInt8]?, as name: ApplicationName, now: Instant) {
        applicationRecords[name] = bytes
        if bytes == nil {
            discard(.application(name))
        } else {
            keep(.application(name))
            writeChanges(now: now)
        }
    }
}

extension BluetoothHost {
    /// What was kept under a name, in this life of the host or, if it has a store, in an earlier one;
    /// nil if nothing was. What is torn in the store is set aside, and told as a `SecurityEvent`.
    ///
    /// - Parameter name: 1 to 52 characters, each a lower-case letter of ASCII, a digit or a hyphen.
    package func applicationRecord(_ name: String) -> [UInt8]? {
        guard let name = ApplicationName(name) else { return nil }
        if let record = core.applicationRecords[name] { return record }
        let key = RecordName.application(name).key
        guard !core.keeping.leftAlone.contains(key), let bytes = load(key) else { return nil }
        defer { drain() }
        return core.recalled(bytes, as: name)
    }

    /// Keeps octets under a name, instead of what was kept there; nil removes them.
    ///
    /// Written to the host's store, if it has one: 16 times in a row at once, then within a second, and
    /// after 256 times as often as other entries that change for ever; at the latest when the host is
    /// shut down. What cannot be written is told as a `SecurityEvent`, and tried again.
    ///
    /// - Returns: whether it is kept. Not, if `name` is no name, as `applicationRecord(_:)` describes
    ///   them, if there are more than `HostCore.applicationRecordLengthLimit` octets, or already
    ///   `HostCore.applicationRecordLimit` other names.
    @discardableResult
    package func keepApplicationRecord(_ bytes: [UInt8]?, _ name: String) -> Bool {
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
        var names = Set(core.applicationRecords.keys)
        guard !names.contains(name) else { return true }
        for case .application(let stored)? in storedNames { names.insert(stored) }
        return names.contains(name) || names.count < HostCore.applicationRecordLimit
    }

    private var storedNames: [RecordName?] {
        ((try? configuration.store?.keys()) ?? []).map { RecordName($0) }
    }
}
