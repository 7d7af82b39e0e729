// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText

/// The meanings of a UUID.
struct UUIDExplanation: Sendable {
    /// A use of the UUID, with its name.
    struct Meaning: Equatable, Sendable {
        let kind: String
        let name: String
    }

    let uuid: BluetoothUUID
    let meanings: [Meaning]

    init(_ uuid: BluetoothUUID) {
        self.uuid = uuid
        let names: [(kind: String, name: String?)]
        if let short = uuid.short16 {
            names = [
                ("service", AssignedNumbers.serviceNames[short]),
                ("service of a company", AssignedNumbers.memberServiceNames[short]),
                ("characteristic", AssignedNumbers.characteristicNames[short]),
                ("descriptor", AssignedNumbers.descriptorNames[short]),
            ]
        } else {
            names = [("service or characteristic of a company", AssignedNumbers.vendorNames[uuid])]
        }
        meanings = names.compactMap { kind, name in name.map { Meaning(kind: kind, name: $0) } }
    }

    /// Explains a UUID, or the UUID with a name such as `battery-level` or `Heart Rate`.
    init(_ text: String) throws(ProgramFailure) {
        let named =
            AssignedNumbers.characteristic(named: text) ?? AssignedNumbers.service(named: text)
            ?? AssignedNumbers.descriptor(named: text)
        guard let uuid = BluetoothUUID(typed: text) ?? named else {
            let names = [
                AssignedNumbers.characteristicNames, AssignedNumbers.serviceNames,
                AssignedNumbers.descriptorNames,
            ].flatMap(\.values)
            throw .usage(
                "'\(TerminalText.escape(String(text.prefix(60))))' is not a UUID or a known name",
                advice: ProgramFailure.didYouMean(
                    text,
                    among: names.sorted(),
                    otherwise: "use a UUID (2A37) or a name (battery-level)"
                )
            )
        }
        self.init(uuid)
    }

    /// Whether the layout of the value is known.
    var isDecoded: Bool {
        WellKnownValues.knows(characteristic: uuid)
            || uuid.short16.map { WellKnownValues.descriptors[$0] != nil } ?? false
    }

    /// The explanation on several lines.
    var text: String {
        var lines = meanings.map { "\(uuid) is the \($0.kind) \($0.name)." }
        if meanings.isEmpty { lines = ["\(uuid) has no known meaning."] }
        if uuid.short32 != nil { lines.append("128-bit form: \(uuid.text128)") }
        if isDecoded { lines.append("'decode \(uuid) VALUE' prints the meaning of a value.") }
        return lines.joined(separator: "\n")
    }

    var json: JSON {
        .object([
            .init("uuid", .string(uuid.description)),
            .init("uuid128", .string(uuid.text128)),
            .init(
                "meanings",
                .array(
                    meanings.map {
                        .object([
                            .init("kind", .string($0.kind)), .init("name", .string($0.name)),
                        ])
                    }
                )
            ),
            .init("decoded", .bool(isDecoded)),
        ])
    }
}

/// A value with the UUID of its characteristic or descriptor, to print its meaning.
struct DecodedValue: Sendable {
    let uuid: BluetoothUUID
    let bytes: [UInt8]
    /// The meaning; `nil` if the layout is not known.
    let meaning: String?

    /// Decodes a value. Throws if the bytes do not have the layout.
    init(_ bytes: [UInt8], of uuid: BluetoothUUID) throws(ProgramFailure) {
        self.uuid = uuid
        self.bytes = bytes
        do throws(MalformedBytes) {
            let ofCharacteristic = try WellKnownValues.describe(bytes, ofCharacteristic: uuid)
            let ofDescriptor = try WellKnownValues.describe(bytes, ofDescriptor: uuid)
            meaning = ofCharacteristic ?? ofDescriptor
        } catch {
            throw ProgramFailure(
                .badData,
                "\(bytes.hexadecimal) is not a value of \(uuid): \(error)",
                advice: "'info \(uuid)' explains the UUID"
            )
        }
    }

    /// The meaning, or the bytes.
    var text: String { meaning ?? ValueText.plain(bytes) }

    var json: JSON {
        .object([
            .init("uuid", .string(uuid.description)),
            .init("value", .bytes(bytes)),
            .init("meaning", .string(orNull: meaning)),
        ])
    }
}
