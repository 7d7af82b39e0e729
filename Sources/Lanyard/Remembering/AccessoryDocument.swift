// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What stands in a store's file.
///
/// ```json
/// {
///   "accessories" : [
///     {
///       "identity" : "system:0F5E6C1A-…",
///       "kind" : "heart rate strap",
///       "lastReady" : "2026-03-01T10:02:11.250Z",
///       "name" : "HR-21",
///       "notes" : { "room" : "cellar" },
///       "rememberedSince" : "2026-02-27T18:40:00.000Z",
///       "systemIdentifier" : "0F5E6C1A-…"
///     }
///   ],
///   "format" : "lanyard.accessories",
///   "version" : 1
/// }
/// ```
///
/// Fields that are not known here stay as they are, in the document and in each record; so does a record
/// that cannot be understood. A later version of the format that an earlier one must not touch gets
/// a greater number.
struct AccessoryDocument: Hashable, Sendable {
    /// Why a file is none of these.
    struct Fault: Error, Hashable {
        let reason: String
    }

    static let format = "lanyard.accessories"
    static let version: Int64 = 1

    private var fields: [String: JSONValue]
    private var records: [JSONValue]

    /// One with nothing in it.
    init() {
        fields = ["format": .text(Self.format), "version": .integer(Self.version)]
        records = []
    }

    /// What a file says.
    init(_ data: Data) throws(Fault) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            throw Fault(reason: "it is torn, or no JSON")
        }
        guard let fields = value.object, fields["format"] == .text(Self.format),
            let version = fields["version"]?.integer, let records = fields["accessories"]?.list
        else { throw Fault(reason: "it is no list of accessories") }
        guard version == Self.version else {
            throw Fault(reason: "it has the version \(version); this is made for \(Self.version)")
        }
        self.fields = fields
        self.records = records
    }

    /// What to write to a file.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var fields = fields
        fields["accessories"] = .list(records)
        return try encoder.encode(JSONValue.object(fields))
    }

    /// The accessories in it, and how many records are none.
    var accessories: (known: [RememberedAccessory], strangeCount: Int) {
        let known = records.compactMap { RememberedAccessory(record: $0) }
        return (known, records.count - known.count)
    }

    /// Puts an accessory in place of the one with its identity, or behind all.
    mutating func put(_ accessory: RememberedAccessory) {
        if let index = index(of: accessory.identity) {
            records[index] = accessory.record(over: records[index].object ?? [:])
        } else {
            records.append(accessory.record(over: [:]))
        }
    }

    /// Takes an accessory out. False if it is not there.
    mutating func remove(_ identity: AccessoryIdentity) -> Bool {
        guard let index = index(of: identity) else { return false }
        records.remove(at: index)
        return true
    }

    private func index(of identity: AccessoryIdentity) -> Int? {
        records.firstIndex { $0.object?["identity"] == .text(identity.description) }
    }
}

extension RememberedAccessory {
    private static let times = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Nil if the record lacks something, or has something else in its place.
    fileprivate init?(record: JSONValue) {
        guard let fields = record.object,
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
            rememberedSince: since,
            lastReady: fields["lastReady"]?.text.flatMap { try? Self.times.parse($0) },
            notes: fields["notes"]?.object?.compactMapValues(\.text) ?? [:]
        )
    }

    /// The record of it, in place of an older one.
    fileprivate func record(over older: [String: JSONValue]) -> JSONValue {
        var fields = older
        fields["identity"] = .text(identity.description)
        fields["systemIdentifier"] = .text(systemIdentifier.uuidString)
        fields["kind"] = .text(kind)
        fields["name"] = name.map { .text($0) }
        fields["rememberedSince"] = .text(rememberedSince.formatted(Self.times))
        fields["lastReady"] = lastReady.map { .text($0.formatted(Self.times)) }
        fields["notes"] = notes.isEmpty ? nil : .object(notes.mapValues { .text($0) })
        return .object(fields)
    }
}
