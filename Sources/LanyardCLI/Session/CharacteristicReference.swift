// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A reference to a characteristic on the command line.
struct CharacteristicReference: Equatable, Sendable {
    /// The way in which the reference identifies the characteristic.
    enum Identity: Equatable, Sendable {
        case uuid(BluetoothUUID)
        case valueHandle(UInt16)
    }

    let identity: Identity
    /// The service of the characteristic; `nil` for any.
    let service: BluetoothUUID?

    /// Parses a UUID (`2A19`), a well-known name (`battery-level`), either of them in a service
    /// (`180F/2A19`), or the handle of the value (`#12`, `#0x000C`).
    init(_ text: String) throws(ProgramFailure) {
        if text.hasPrefix("#") {
            guard let handle = Self.handle(text.dropFirst()) else { throw Self.unknown(text) }
            identity = .valueHandle(handle)
            service = nil
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count), let last = parts.last,
            let characteristic = BluetoothUUID(typed: last)
                ?? AssignedNumbers.characteristic(named: last)
        else { throw Self.unknown(text) }
        identity = .uuid(characteristic)
        service = parts.count == 1 ? nil : try BluetoothUUID(service: parts[0])
    }

    private static func handle(_ text: Substring) -> UInt16? {
        let isHexadecimal = text.lowercased().hasPrefix("0x")
        let digits = isHexadecimal ? text.dropFirst(2) : text
        guard digits.first != "+", digits.first != "-",
            let handle = UInt16(digits, radix: isHexadecimal ? 16 : 10), handle > 0
        else { return nil }
        return handle
    }

    private static func unknown(_ text: String) -> ProgramFailure {
        .usage(
            "'\(TerminalText.escape(text))' is not a characteristic",
            advice: ProgramFailure.didYouMean(
                text,
                among: AssignedNumbers.characteristicNames.values.sorted(),
                otherwise: "give a UUID (2A19), a name (battery-level), SERVICE/UUID or #HANDLE"
            )
        )
    }
}

extension CharacteristicReference: CustomStringConvertible {
    var description: String {
        let place = service.map { "\($0)/" } ?? ""
        return switch identity {
        case .uuid(let uuid): place + uuid.description
        case .valueHandle(let handle): "#\(handle)"
        }
    }
}

extension CharacteristicOperations {
    /// Returns the characteristic that a reference names. Throws if there is none, or more than
    /// one.
    func find(_ reference: CharacteristicReference) async throws -> GATT.Characteristic {
        let matches = try await characteristics(for: reference).filter(reference.matches)
        guard let match = matches.first else {
            throw ProgramFailure(
                .notFound,
                "the accessory has no characteristic \(reference)",
                advice: "'lanyard explore' lists its characteristics"
            )
        }
        guard matches.count == 1 else {
            let handles = matches.map { "#\($0.valueHandle.rawValue)" }.joined(separator: ", ")
            throw ProgramFailure.usage(
                "the accessory has \(matches.count) characteristics \(reference)",
                advice: "name one by its handle: \(handles)"
            )
        }
        return match
    }

    /// Returns the characteristics of the services that the reference names, or of all services.
    private func characteristics(
        for reference: CharacteristicReference
    ) async throws -> [GATT.Characteristic] {
        guard let uuid = reference.service else {
            return try await limits.run("discovering characteristics") {
                try await accessory.discoverCharacteristics(uuid: nil)
            }
        }
        let services = try await limits.run("discovering services") {
            try await accessory.discoverServices(uuid: uuid)
        }
        var found: [GATT.Characteristic] = []
        for service in services {
            found += try await limits.run("discovering characteristics") {
                try await accessory.discoverCharacteristics(of: service, uuid: nil)
            }
        }
        return found
    }
}

extension CharacteristicReference {
    fileprivate func matches(_ characteristic: GATT.Characteristic) -> Bool {
        switch identity {
        case .uuid(let uuid): characteristic.uuid == uuid
        case .valueHandle(let handle): characteristic.valueHandle.rawValue == handle
        }
    }
}

/// Bytes on the command line: hexadecimal digits, optionally with `0x` in front and with spaces,
/// colons or hyphens between the bytes.
struct HexArgument: Equatable, Sendable {
    let bytes: [UInt8]

    init(_ text: String) throws(ProgramFailure) {
        let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
        let groups = digits.split { " :-".contains($0) }
        guard let bytes = [UInt8](hexadecimal: groups.joined()),
            groups.count <= 1 || groups.allSatisfy({ $0.utf8.count.isMultiple(of: 2) })
        else {
            throw .usage(
                "'\(TerminalText.escape(text))' is not a hexadecimal value",
                advice: "use two digits per byte, such as 01ff"
            )
        }
        guard bytes.count <= GATT.valueLengthLimit else {
            throw .usage(
                "\(bytes.count) bytes are too many",
                advice: "an attribute holds at most \(GATT.valueLengthLimit)"
            )
        }
        self.bytes = bytes
    }
}
