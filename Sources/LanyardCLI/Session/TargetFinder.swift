// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Synchronization

/// A finder of the target among the bonded devices, or by scanning if its address is not fully
/// known.
struct TargetFinder: Sendable {
    /// A device that fits the target.
    struct Found: Equatable, Sendable {
        let address: DeviceAddress
        /// The advertised name, or the name of the bond; `nil` if it is not known.
        let name: String?
        /// Whether a scan has just received the device.
        var isNear = false
        /// Whether the target is only the beginning of the device's name.
        var isByPrefix = false
        /// Whether the device accepts connections, as far as its advertisements show.
        var isConnectable = true
    }

    /// The time for which the scan continues after the first device that fits the target, because
    /// another device may fit equally well or better.
    static let settlingTime = Duration.seconds(1)

    /// Waits for the settling time. Tests replace this wait with a wait for an event.
    @TaskLocal static var settle: @Sendable (Duration) async throws -> Void = {
        try await Task.sleep(for: $0)
    }

    let limits: StepLimits
    /// Whether the first advertisement with exactly the target's name or address is the result,
    /// even if its device accepts no connections. A bonded device that sends no advertisement is
    /// not a result.
    var takesFirst = false
    /// The bonded devices.
    var bonds: [AccessoryBond] = []
    /// Starts a scan.
    let scan: @Sendable () async throws -> Discoveries

    /// Returns the device that fits the target best.
    ///
    /// Without `takesFirst`, an address with its type, and a bond that `BondFinder` finds, are the
    /// result without a scan. In a scan, a device with exactly the target's name fits best. A
    /// device with that name in another case is second, and a device whose name begins with it is
    /// third.
    ///
    /// - Throws: A failure if no device is found within the limit, or if several fit equally well.
    func find(_ target: Target) async throws -> Found {
        var target = target
        if takesFirst {
            // A bonded device is received with its identity address.
            if case .bond = target {
                let identity = try BondFinder(bonds: bonds).require(target).identity
                target = .address(value: identity.value, kind: identity.kind)
            }
        } else {
            if case .address(let value, let kind?) = target {
                return Found(address: DeviceAddress(value: value, kind: kind), name: nil)
            }
            if let peer = try BondFinder(bonds: bonds).find(target) {
                return Found(address: peer.identity, name: peer.name)
            }
        }
        let search = TargetSearch(target, takesFirst: takesFirst)
        if !takesFirst { for bond in bonds { search.add(bond) } }
        do {
            let exact = try await limits.run("scanning for \(target)", within: limits.search) {
                try await FirstResult.of([
                    { @Sendable in try await search.receive(try await scan()) },
                    { @Sendable in try await search.settle() },
                ])
            }
            if let exact { return exact }
        } catch let failure as ProgramFailure where failure.status == .timedOut {
            // The devices received so far decide the result below.
        }
        return try search.choice(within: limits.search)
    }
}

/// The candidates of a scan for a target: bonded and received devices.
private final class TargetSearch: Sendable {
    /// The rank of a name by its similarity to the target's; the best first.
    fileprivate enum Rank: Int, Comparable {
        case exact, equal, prefix

        static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
    }

    fileprivate struct Candidate {
        var found: TargetFinder.Found
        /// The name, safe to print.
        var name: String
        var rank: Rank
        /// The signal strength of the last advertisement, in dBm; `nil` if it is not known.
        var rssi: Int?
    }

    private struct State {
        var candidates: [DeviceAddress: Candidate] = [:]
        /// Names of bonded and received devices, safe to print, to suggest one of them.
        var names: Set<String> = []
        /// Names of received devices.
        var received: Set<String> = []

        /// Returns whether a candidate may be stored. A known device keeps its better rank. When
        /// the table is full, a candidate of the worst rank is removed for one of a better rank.
        mutating func hasPlace(for address: DeviceAddress, _ rank: Rank) -> Bool {
            if let known = candidates[address] { return rank <= known.rank }
            guard candidates.count >= limit else { return true }
            let worst = candidates.max { $0.value.rank < $1.value.rank }
            guard let worst, worst.value.rank > rank else { return false }
            candidates[worst.key] = nil
            return true
        }
    }

    /// The maximum number of candidates, of names, and of received names.
    private static let limit = 100

    private let target: Target
    private let takesFirst: Bool
    private let state = Mutex(State())
    private let (similar, feed) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
    )

    init(_ target: Target, takesFirst: Bool) {
        self.target = target
        self.takesFirst = takesFirst
    }

    /// Receives advertisements until one ends the search, or there are no more. With `takesFirst`,
    /// the target's exact name or address is enough. Otherwise, the advertisement must have the
    /// target's address and accept connections.
    func receive(
        _ scan: AsyncThrowingStream<Advertisement, any Error>
    ) async throws -> TargetFinder.Found? {
        for try await advertisement in scan {
            let isExact = target.matches(advertisement)
            if isExact, takesFirst || target.isAddress && advertisement.isConnectable {
                return TargetFinder.Found(
                    address: advertisement.address,
                    name: advertisement.data.localName,
                    isNear: true,
                    isConnectable: advertisement.isConnectable
                )
            }
            add(advertisement, isExact: isExact)
        }
        return nil
    }

    /// Adds a bonded device if its name begins with the target's.
    func add(_ bond: AccessoryBond) {
        guard let name = bond.name else { return }
        add(bond.identity, name, isReceived: false) { printable, rank in
            Candidate(
                found: .init(address: bond.identity, name: name, isByPrefix: rank == .prefix),
                name: printable,
                rank: rank
            )
        }
    }

    private func add(_ advertisement: Advertisement, isExact: Bool) {
        let received = advertisement.data.localName ?? advertisement.data.printableName
        guard let name = received ?? (isExact ? "" : nil) else { return }
        add(advertisement.address, name, isExact: isExact) { printable, rank in
            Candidate(
                found: .init(
                    address: advertisement.address,
                    name: isExact ? advertisement.data.localName : name,
                    isNear: true,
                    isByPrefix: rank == .prefix,
                    isConnectable: advertisement.isConnectable
                ),
                name: isExact ? advertisement.data.printableName ?? printable : printable,
                rank: rank,
                rssi: advertisement.rssi
            )
        }
    }

    /// Adds a device that has this name, if it is the target or its name begins with the target's.
    private func add(
        _ address: DeviceAddress,
        _ name: String,
        isExact: Bool = false,
        isReceived: Bool = true,
        _ makeCandidate: (String, Rank) -> Candidate
    ) {
        let printable = TerminalText.escape(name)
        state.withLock { state in
            if !name.isEmpty {
                if state.names.count < Self.limit { state.names.insert(printable) }
                if isReceived, state.received.count < Self.limit {
                    state.received.insert(printable)
                }
            }
            guard let rank = rank(of: printable, isExact: isExact),
                state.hasPlace(for: address, rank)
            else { return }
            var candidate = makeCandidate(printable, rank)
            // A device is connectable if any of its advertisements accepts connections.
            if state.candidates[address]?.found.isConnectable == true {
                candidate.found.isConnectable = true
            }
            state.candidates[address] = candidate
            feed.yield()
        }
    }

    /// Returns the rank of a name; `nil` if the device is not the target, and its name does not
    /// begin with the target's.
    private func rank(of printable: String, isExact: Bool) -> Rank? {
        if isExact { return .exact }
        guard case .name(let wanted) = target else { return nil }
        let (name, wantedName) = (printable.lowercased(), wanted.lowercased())
        guard name.hasPrefix(wantedName) else { return nil }
        return name == wantedName ? .equal : .prefix
    }

    /// Waits for the first candidate, and after it for the settling time.
    func settle() async throws -> TargetFinder.Found? {
        for await _ in similar {
            try await TargetFinder.settle(TargetFinder.settlingTime)
            return nil
        }
        throw CancellationError()
    }

    /// Returns the only device that fits best. Throws if there is none, or more than one.
    func choice(within limit: Duration) throws(ProgramFailure) -> TargetFinder.Found {
        let (all, names, received) = state.withLock {
            (Array($0.candidates.values), $0.names.sorted(), $0.received.sorted())
        }
        let best = Self.best(of: all)
        guard let only = best.first else {
            throw .notFound(target, within: limit, received: received, known: names)
        }
        guard best.count == 1 else {
            let list = best.prefix(Self.shownLimit).map(\.description)
            throw .usage(
                "\(best.count) devices match \(target): \(list.joined(separator: ", "))"
                    + (best.count > Self.shownLimit ? ", …" : ""),
                advice: Set(best.map(\.name)).count == 1
                    ? "give the address" : "write the whole name, or the address"
            )
        }
        return only.found
    }

    /// The maximum number of devices that the error lists.
    private static let shownLimit = 3

    /// Returns the candidates of the best rank, sorted. A device that accepts no connection, such
    /// as a beacon beside the accessory, does not count if another one accepts connections.
    private static func best(of all: [Candidate]) -> [Candidate] {
        let rank = all.map(\.rank).min()
        let ranked = all.filter { $0.rank == rank }
        let connectable = ranked.filter(\.found.isConnectable)
        return (connectable.isEmpty ? ranked : connectable).sorted {
            ($0.name, $0.found.address.value) < ($1.name, $1.found.address.value)
        }
    }
}

extension TargetSearch.Candidate: CustomStringConvertible {
    /// The name, the address and the signal strength.
    var description: String {
        let strength = rssi.map { ", \($0) dBm" } ?? ""
        let shown = name.isEmpty ? "without a name" : "'\(name)'"
        return "\(shown) (\(AddressText.describe(found.address))\(strength))"
    }
}

extension Target {
    fileprivate var isAddress: Bool { if case .address = self { true } else { false } }

    fileprivate func matches(_ advertisement: Advertisement) -> Bool {
        switch self {
        case .address(let value, let kind):
            // A bonded peer is received with its identity address. The target may be the address
            // that the peer uses.
            [advertisement.address, advertisement.privateAddress].compactMap(\.self).contains {
                $0.value == value && (kind == nil || kind == $0.kind)
            }
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
        received: [String],
        known names: [String]
    ) -> ProgramFailure {
        let others = received.prefix(3).map { "'\($0)'" }
        let list =
            others.isEmpty
            ? "" : " (received \(others.joined(separator: ", "))\(received.count > 3 ? ", …" : ""))"
        var advice = "'lanyard scan' lists devices; allow more time with --timeout"
        if received.isEmpty { advice = "check that it is on, near and not connected; " + advice }
        if case .name(let name) = target {
            advice = didYouMean(TerminalText.escape(name), among: names, otherwise: advice)
        }
        return ProgramFailure(
            .notFound,
            "\(target) was not found within \(SecondsText.describe(limit))\(list)",
            advice: advice
        )
    }
}
