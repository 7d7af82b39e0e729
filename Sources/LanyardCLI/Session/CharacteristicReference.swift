// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The characteristic a command is about, as a person names it.
struct CharacteristicReference: Equatable, Sendable {
    /// How the characteristic is told from the others.
    enum Identity: Equatable, Sendable {
        case uuid(BluetoothUUID)
        case valueHandle(UInt16)
    }

    let identity: Identity
    /// The service it must be in; nil for any.
    let service: BluetoothUUID?

    /// Reads a UUID (`2A19`), a well-known name (`battery-level`), either of them in a service
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
            let characteristic = BluetoothUUID(last)
                ?? AssignedNumbers.characteristic(named: last)
        else { throw Self.unknown(text) }
        identity = .uuid(characteristic)
        service = parts.count == 1 ? nil : BluetoothUUID(parts[0])
        if parts.count == 2, service == nil { throw Self.unknown(text) }
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
            "'\(TerminalText.escape(text))' names no characteristic",
            advice: "give a UUID (2A19), a name (battery-level), SERVICE/UUID or #HANDLE"
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
