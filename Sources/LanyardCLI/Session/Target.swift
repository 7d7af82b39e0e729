// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

/// The device that a command is for, as the command line names it.
enum Target: Equatable, Sendable {
    /// An address. The kind is `nil` if it was not given.
    case address(value: UInt64, kind: DeviceAddress.Kind?)
    /// A bonded device, by the identifier of its bond.
    case bond(PeerIdentifier)
    /// A name that a device advertises or that a bonded device has, or the beginning of this name.
    /// It may differ in upper and lower case, and may be given as it is printed, with escapes.
    case name(String)

    /// Parses `AA:BB:CC:DD:EE:FF`, the same with `/random` or `/public`, the identifier of a bond,
    /// or a name. A name that has one of the other forms is written `name:…`.
    ///
    /// Six groups with colons between them must be a valid address. Any other text of four or more
    /// pairs of hexadecimal digits with colons between them is an error too, because a mistyped
    /// address must not become a search for a device of that name.
    init(_ text: String) throws(ProgramFailure) {
        if text.hasPrefix(Self.namePrefix) {
            try self.init(name: text.dropFirst(Self.namePrefix.count))
            return
        }
        if let identifier = PeerIdentifier(text) {
            self = .bond(identifier)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let address = parts.first ?? ""
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        guard groups.count == 6 else {
            let isPair = { (group: Substring) in group.count == 2 && group.allSatisfy(\.isHexDigit)
            }
            guard groups.count < 4 || !groups.allSatisfy(isPair) else { throw Self.noAddress(text) }
            try self.init(name: text[...])
            return
        }
        guard let value = DeviceAddress(address, kind: .public)?.value else {
            throw Self.noAddress(text)
        }
        switch parts.count == 1 ? "" : parts[1].lowercased() {
        case "" where parts.count == 1: self = .address(value: value, kind: nil)
        case "random": self = .address(value: value, kind: .random)
        case "public": self = .address(value: value, kind: .public)
        default: throw Self.noAddress(text)
        }
    }

    private init(name: Substring) throws(ProgramFailure) {
        guard !name.isEmpty else {
            throw .usage("the target is empty", advice: Self.advice)
        }
        self = .name(String(name))
    }

    private static func noAddress(_ text: String) -> ProgramFailure {
        .usage("'\(TerminalText.escape(text))' is not a valid address", advice: advice)
    }

    private static let namePrefix = "name:"
    private static let advice =
        "use an address (AA:BB:CC:DD:EE:FF, optionally with /random or /public), a name, "
        + "or a bond's identifier"
}

extension Target: CustomStringConvertible {
    var description: String {
        switch self {
        case .name(let name): "'\(TerminalText.escape(name))'"
        case .bond(let identifier): identifier.description
        case .address(let value, let kind):
            AddressText.describe(DeviceAddress(value: value, kind: kind ?? .public), kind: kind)
        }
    }
}

/// The text of addresses.
enum AddressText {
    /// Returns the address with its kind.
    static func describe(_ address: DeviceAddress) -> String {
        describe(address, kind: address.kind)
    }

    static func describe(_ address: DeviceAddress, kind: DeviceAddress.Kind?) -> String {
        kind.map { "\(address)/\(name(of: $0))" } ?? address.description
    }

    /// Returns `public` or `random`.
    static func name(of kind: DeviceAddress.Kind) -> String {
        switch kind {
        case .public: "public"
        case .random: "random"
        }
    }
}
