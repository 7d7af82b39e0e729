// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothPort
import BluetoothTypes
import Synchronization

/// A finder of the target among the bonded devices, or by scanning if its address is not fully
/// known.
struct TargetFinder: Sendable {
    /// A device that can be connected to.
    struct Found: Equatable, Sendable {
        let address: DeviceAddress
        /// The advertised name; nil if there was no scan, or the device advertises none.
        let name: String?
        /// Whether the device was received just now.
        var isNear = false
        /// Whether only the beginning of the name is that of the target.
        var isByPrefix = false
    }

    /// The time for which the scan continues after the first device whose name is similar to the
    /// target's, because a device with exactly that name may follow.
    static let settlingTime = Duration.seconds(1)

    let limits: StepLimits
    /// The bonded devices.
    var bonds: [PortBond] = []
    /// Starts a scan.
    let scan: @Sendable () async -> AsyncThrowingStream<Advertisement, any Error>

    /// Returns the device with exactly that name. Without such a device, returns the only one whose
    /// name differs only in case, or else the only one whose name begins with the target's name.
    /// Throws if no device is found within the limit.
    func find(_ target: Target) async throws -> Found {
        if case .address(let value, let kind?) = target {
            return Found(address: DeviceAddress(value: value, kind: kind), name: nil)
        }
        if let peer = try BondFinder(bonds: bonds).find(target) {
            return Found(address: peer.identity, name: peer.name)
        }
        let search = TargetSearch(target)
        for bond in bonds { search.add(bond.identity, bond.name, isNear: false) }
        do {
            let exact = try await limits.run("scanning for \(target)", within: limits.search) {
                try await FirstResult.of([
                    { @Sendable in try await search.receive(await scan()) },
                    { @Sendable in try await search.settle() },
                ])
            }
            if let exact { return exact }
        } catch let failure as ProgramFailure where failure.status == .timedOut {
            // The names that were received decide.
        }
        return try search.choice(within: limits.search)
    }
}

/// The devices that a scan for a target has received.
private final class TargetSearch: Sendable {
    private struct Candidate {
        var found: TargetFinder.Found
        /// The name, safe to print.
        var name: String
    }

    private struct State {
        var candidates: [DeviceAddress: Candidate] = [:]
        /// All names, safe to print, to suggest one of them.
        var names: Set<String> = []
    }

    /// The maximum number of candidates, and of names.
    private static let limit = 100

    private let target: Target
    private let state = Mutex(State())
    private let (similar, feed) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
    )

    init(_ target: Target) {
        self.target = target
    }

    /// Receives advertisements until one is of exactly the target, or there are no more.
    func receive(
        _ scan: AsyncThrowingStream<Advertisement, any Error>
    ) async throws -> TargetFinder.Found? {
        for try await advertisement in scan {
            if target.matches(advertisement) {
                return TargetFinder.Found(
                    address: advertisement.address,
                    name: advertisement.data.localName,
                    isNear: true
                )
            }
            let data = advertisement.data
            guard let name = data.localName ?? data.printableName else { continue }
            add(advertisement.address, name, isNear: true)
        }
        return nil
    }

    /// Adds a device that has this name.
    func add(_ address: DeviceAddress, _ name: String?, isNear: Bool) {
        guard let name else { return }
        let printable = TerminalText.escape(name)
        state.withLock { state in
            if state.names.count < Self.limit { state.names.insert(printable) }
            guard case .name(let wanted) = target, state.candidates.count < Self.limit else {
                return
            }
            let (lower, wantedLower) = (printable.lowercased(), wanted.lowercased())
            guard lower.hasPrefix(wantedLower) else { return }
            state.candidates[address] = Candidate(
                found: .init(
                    address: address,
                    name: name,
                    isNear: isNear,
                    isByPrefix: lower != wantedLower
                ),
                name: printable
            )
            feed.yield()
        }
    }

    /// Waits until there is a device with a similar name, and then for the settling time.
    func settle() async throws -> TargetFinder.Found? {
        for await _ in similar {
            try await TimeLimit.wait(TargetFinder.settlingTime)
            return nil
        }
        throw CancellationError()
    }

    /// Returns the only device with a similar name. Throws if there is none, or more than one.
    func choice(within limit: Duration) throws(ProgramFailure) -> TargetFinder.Found {
        let (all, names) = state.withLock { (Array($0.candidates.values), $0.names.sorted()) }
        let equal = all.filter { !$0.found.isByPrefix }
        let best = (equal.isEmpty ? all : equal).sorted { $0.name < $1.name }
        guard let only = best.first else {
            throw .notFound(target, within: limit, received: names)
        }
        guard best.count == 1 else {
            let list = best.prefix(3).map {
                "'\($0.name)' (\(AddressText.describe($0.found.address)))"
            }
            throw .usage(
                "\(best.count) devices match \(target): \(list.joined(separator: ", "))"
                    + (best.count > 3 ? ", …" : ""),
                advice: Set(best.map(\.name)).count == 1
                    ? "give the address" : "write the whole name, or the address"
            )
        }
        return only.found
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
        received names: [String]
    ) -> ProgramFailure {
        let others = names.prefix(3).map { "'\($0)'" }
        let received =
            others.isEmpty
            ? "" : " (received \(others.joined(separator: ", "))\(names.count > 3 ? ", …" : ""))"
        var advice = "'lanyard scan' lists devices; allow more time with --timeout"
        if names.isEmpty { advice = "check that it is on, near and not connected; " + advice }
        if case .name(let name) = target {
            advice = didYouMean(TerminalText.escape(name), among: names, otherwise: advice)
        }
        return ProgramFailure(
            .notFound,
            "\(target) was not found within \(SecondsText.describe(limit))\(received)",
            advice: advice
        )
    }
}
