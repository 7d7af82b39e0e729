// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes

/// Finds the device that a person named: among those that are bonded, or by listening for it where
/// its address is not known in full.
struct TargetFinder: Sendable {
    /// A device that can be connected to.
    struct Found: Equatable, Sendable {
        let address: DeviceAddress
        /// The name it advertised; nil if it was not listened for, or has none.
        let name: String?
        /// Whether it was heard just now.
        let isNear: Bool
    }

    let limits: StepLimits
    /// Who is known already.
    var bonds: [BondedPeer] = []
    /// Starts listening.
    let scan: @Sendable () -> AsyncThrowingStream<Advertisement, any Error>

    /// The device; throws if it is not heard in time.
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

    /// The names heard meanwhile, safe to print: one of them may be what was meant.
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
            advice: "scan shows what is there; allow more with --timeout"
        )
    }
}
