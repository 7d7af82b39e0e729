// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes

/// The device that a command is for, as the command line names it.
enum Target: Equatable, Sendable {
    /// An address. The kind is nil if it was not given and a scan must find it.
    case address(value: UInt64, kind: DeviceAddress.Kind?)
    /// A bonded device, whatever its addresses.
    case bond(PeerIdentifier)
    /// The name that a device advertises or that a bonded device has, as received or as printed.
    case name(String)

    /// Parses `AA:BB:CC:DD:EE:FF`, the same with `/random` or `/public`, the identifier of a bond,
    /// or a name. A name that could be one of the others is written `name:…`.
    ///
    /// Six groups with colons between them are an address, and an error if they are not valid: a
    /// typing error must not become a search for a device of that name.
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
        guard address.split(separator: ":", omittingEmptySubsequences: false).count == 6 else {
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
        "a target is AA:BB:CC:DD:EE:FF, that with /random or /public, a name, or a bond's identifier"
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
    /// The address with its kind.
    static func describe(_ address: DeviceAddress) -> String {
        describe(address, kind: address.kind)
    }

    static func describe(_ address: DeviceAddress, kind: DeviceAddress.Kind?) -> String {
        kind.map { "\(address)/\(name(of: $0))" } ?? address.description
    }

    /// `public` or `random`.
    static func name(of kind: DeviceAddress.Kind) -> String {
        switch kind {
        case .public: "public"
        case .random: "random"
        }
    }
}

/// Finds the target among the bonded devices, or by scanning if its address is not fully known.
struct TargetFinder: Sendable {
    /// A device that can be connected to.
    struct Found: Equatable, Sendable {
        let address: DeviceAddress
        /// The advertised name; nil if there was no scan, or the device advertises none.
        let name: String?
        /// Whether the device was received just now.
        let isNear: Bool
    }

    let limits: StepLimits
    /// The bonded devices.
    var bonds: [BondedPeer] = []
    /// Starts a scan.
    let scan: @Sendable () -> AsyncThrowingStream<Advertisement, any Error>

    /// The device. Throws if it is not found within the limit.
    func find(_ target: Target) async throws -> Found {
        if case .address(let value, let kind?) = target {
            return Found(address: DeviceAddress(value: value, kind: kind), name: nil, isNear: false)
        }
        if let peer = try BondFinder(bonds: bonds).find(target) {
            return Found(address: peer.identity, name: peer.name, isNear: false)
        }
        let names = SeenNames()
        do {
            return try await limits.run("scanning for \(target)", within: limits.search) {
                for try await advertisement in scan() {
                    if let name = advertisement.data.printableName { await names.insert(name) }
                    guard target.matches(advertisement) else { continue }
                    return Found(
                        address: advertisement.address,
                        name: advertisement.data.localName,
                        isNear: true
                    )
                }
                throw ProgramFailure.notFound(target, within: limits.search, seen: [])
            }
        } catch let failure as ProgramFailure where failure.status == .timedOut {
            throw ProgramFailure.notFound(
                target,
                within: limits.search,
                seen: await names.sorted
            )
        }
    }

    /// The names that the scan received, safe to print, to suggest one of them.
    private actor SeenNames {
        private var names: Set<String> = []
        private static let limit = 100

        func insert(_ name: String) {
            if names.count < Self.limit { names.insert(name) }
        }

        var sorted: [String] { names.sorted() }
    }
}

extension Target {
    fileprivate func matches(_ advertisement: Advertisement) -> Bool {
        switch self {
        case .address(let value, let kind):
            advertisement.address.value == value
                && (kind == nil || kind == advertisement.address.kind)
        case .bond: false
        case .name(let name):
            advertisement.data.localName == name || advertisement.data.printableName == name
        }
    }
}

extension ProgramFailure {
    fileprivate static func notFound(
        _ target: Target,
        within limit: Duration,
        seen names: [String]
    ) -> ProgramFailure {
        let others = names.prefix(3).map { "'\($0)'" }
        let heard = others.isEmpty ? "" : " (heard \(others.joined(separator: ", ")))"
        return ProgramFailure(
            .notFound,
            "\(target) was not found within \(SecondsText.describe(limit))\(heard)",
            advice: "'lanyard scan' lists devices; allow more time with --timeout"
        )
    }
}
