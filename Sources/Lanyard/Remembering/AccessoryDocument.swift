// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText

/// The contents of a store's file.
///
/// ```json
/// {
///   "accessories": [
///     {
///       "givenName": "Left strap",
///       "identity": "system:0F5E6C1A-…",
///       "kind": "heart rate strap",
///       "lastReady": "2026-03-01T10:02:11.250Z",
///       "name": "HR-21",
///       "notes": { "room": "cellar" },
///       "rememberedSince": "2026-02-27T18:40:00.000Z",
///       "systemIdentifier": "0F5E6C1A-…"
///     }
///   ],
///   "format": "lanyard.accessories",
///   "version": 1
/// }
/// ```
///
/// The store preserves unknown fields, in the document and in each record, and unreadable records.
/// A format that earlier versions of the library must not change gets a greater version number.
struct AccessoryDocument: Hashable, Sendable {
    /// The reason why a file is not a valid document.
    struct Fault: Error, Hashable {
        let reason: String
    }

    static let format = "lanyard.accessories"
    static let version = 1

    private var fields: [String: JSON]
    private var records: [JSON]

    /// Creates an empty document.
    init() {
        fields = ["format": .string(Self.format), "version": .integer(Self.version)]
        records = []
    }

    /// Decodes a document.
    init(_ data: Data) throws(Fault) {
        guard let value = try? JSON(parsing: data) else {
            throw Fault(reason: "it is truncated, or not JSON")
        }
        guard let fields = value.members, fields["format"] == .string(Self.format),
            case .integer(let version)? = fields["version"],
            let records = fields["accessories"]?.elements
        else { throw Fault(reason: "it is not a list of accessories") }
        guard version == Self.version else {
            throw Fault(reason: "it has version \(version); the library supports \(Self.version)")
        }
        self.fields = fields
        self.records = records
    }

    /// Returns the document as the contents of a file.
    func encoded() -> Data {
        var fields = fields
        fields["accessories"] = .array(records)
        return Data(JSON.object(sorting: fields).indented.utf8)
    }

    /// The accessories, and the number of unreadable records.
    var accessories: (known: [RememberedAccessory], unreadableCount: Int) {
        let known = records.compactMap { RememberedAccessory(record: $0) }
        return (known, records.count - known.count)
    }

    /// Replaces the accessory with the same identity, or adds the accessory at the end.
    mutating func put(_ accessory: RememberedAccessory) {
        if let index = index(of: accessory.identity) {
            records[index] = accessory.record(over: records[index].members ?? [:])
        } else {
            records.append(accessory.record(over: [:]))
        }
    }

    /// Removes an accessory. An edited file may contain several records of it. Returns `false` if
    /// there is no such accessory.
    mutating func remove(_ identity: AccessoryIdentity) -> Bool {
        let count = records.count
        records.removeAll { $0.isRecord(of: identity) }
        return records.count < count
    }

    private func index(of identity: AccessoryIdentity) -> Int? {
        records.firstIndex { $0.isRecord(of: identity) }
    }
}

extension JSON {
    /// Returns whether the value is the record of an accessory. An edited file may contain a
    /// different form of an identity, for example in lower case.
    fileprivate func isRecord(of identity: AccessoryIdentity) -> Bool {
        members?["identity"]?.text.flatMap { AccessoryIdentity($0) } == identity
    }
}

extension RememberedAccessory {
    private static let times = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Decodes a record; `nil` if a required field is missing or unreadable.
    fileprivate init?(record: JSON) {
        guard let fields = record.members,
            let identity = fields["identity"]?.text.flatMap({ AccessoryIdentity($0) }),
            let identifier = fields["systemIdentifier"]?.text.flatMap({ UUID(uuidString: $0) }),
            let kind = fields["kind"]?.text,
            let since = fields["rememberedSince"]?.text.flatMap({ try? Self.times.parse($0) })
        else { return nil }
        self.init(
            identity: identity,
            systemIdentifier: identifier,
            kind: kind,
            name: fields["name"]?.text,
            givenName: fields["givenName"]?.text,
            rememberedSince: since,
            lastReady: fields["lastReady"]?.text.flatMap { try? Self.times.parse($0) },
            notes: fields["notes"]?.members?.compactMapValues(\.text) ?? [:]
        )
    }

    /// Returns the accessory's record, with the unknown fields and the unreadable notes of an older
    /// one.
    fileprivate func record(over older: [String: JSON]) -> JSON {
        var fields = older
        fields["identity"] = .string(identity.description)
        fields["systemIdentifier"] = .string(systemIdentifier.uuidString)
        fields["kind"] = .string(kind)
        fields["name"] = name.map { .string($0) }
        fields["givenName"] = givenName.map { .string($0) }
        fields["rememberedSince"] = .string(rememberedSince.formatted(Self.times))
        fields["lastReady"] = lastReady.map { .string($0.formatted(Self.times)) }
        let unreadable = older["notes"]?.members?.filter { $0.value.text == nil } ?? [:]
        let all = unreadable.merging(notes.mapValues { .string($0) }) { $1 }
        fields["notes"] = all.isEmpty ? nil : .object(sorting: all)
        return .object(sorting: fields)
    }
}
