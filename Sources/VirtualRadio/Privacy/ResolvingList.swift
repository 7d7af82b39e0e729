// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The resolving list, with which the controller resolves and makes private addresses (Vol 6, Part
/// B, 4.7 and 6).
///
/// Each entry describes one peer: its identity address, the key that resolves its private
/// addresses, and the local key from which the controller makes its own addresses for that peer.
/// For each entry, the controller makes two private addresses: its own address for the peer, and an
/// address of the peer for directed advertising. It replaces all of them after the timeout that the
/// host sets. LE Set Address Resolution Enable concerns only the addresses of received packets (Vol
/// 4, Part E, 7.8.44): without resolution, the controller still uses its private addresses, as
/// LL/SEC/ADV/BV-11-C expects.
package struct ResolvingList: Sendable {
    /// The default timeout of private addresses (Vol 4, Part E, 7.8.45).
    package static let defaultTimeout = Duration.seconds(900)

    /// The capacity of the list.
    let limit: Int

    /// Whether LE Set Address Resolution Enable has enabled resolution.
    package private(set) var isEnabled = false
    /// The timeout after which private addresses are replaced.
    private(set) var timeout = Self.defaultTimeout
    /// The instant from which the timeout of the private addresses runs.
    private(set) var madeAt = Instant.zero
    /// The timer that replaces the private addresses.
    var timer: EventToken?

    private var entries: [ResolvingListEntry] = []
    private var resolutions = ResolutionCache()
    /// The index of the first entry with each local key. Most hosts have one local key for all
    /// entries.
    private var localKeyIndices: [Int] = []

    init(limit: Int) {
        // The size in LE Read Resolving List Size is one byte.
        self.limit = min(limit, Int(UInt8.max))
    }

    /// The result of resolving a peer's address on the air.
    package enum Resolution: Equatable, Sendable {
        /// The address is unchanged: resolution is disabled, or no entry resolves the address.
        case unresolved
        /// A private address of the device with this identity.
        case identity(DeviceAddress)
        /// The identity address of a device in the list that must not use it: the entry is in
        /// network privacy mode and its key is not zero. The controller ignores the packet.
        case refused
    }
}

// MARK: Queries

extension ResolvingList {
    /// Whether the list is empty.
    var isEmpty: Bool { entries.isEmpty }

    /// Resolves a peer's address.
    package mutating func resolve(_ address: DeviceAddress) -> Resolution {
        guard isEnabled else { return .unresolved }
        guard address.randomKind == .resolvablePrivate else { return resolutionOfIdentity(address) }
        let index = resolutions.index(of: address) {
            entries.firstIndex { $0.peerKey.resolves(address) }
        }
        guard let index else { return .unresolved }
        if entries[index].receivedAddress != address { entries[index].receivedAddress = address }
        return .identity(entries[index].peer)
    }

    /// Returns the resolution of an address that is not private: `refused` if the device must use
    /// private addresses (Vol 6, Part B, 6.2 to 6.4).
    private func resolutionOfIdentity(_ address: DeviceAddress) -> Resolution {
        let entry = entries.first { $0.peer == address }
        guard let entry, entry.mode == .network, !entry.peerKey.isZero else { return .unresolved }
        return .refused
    }

    /// Returns the controller's private address for the device with the identity, made with the
    /// local key of its entry; `nil` if there is no such entry, or its local key is zero.
    package func localAddress(toward identity: DeviceAddress) -> DeviceAddress? {
        entry(of: identity)?.localAddress
    }

    /// Returns the current private address of the device with the identity, made with its key, for
    /// directed advertising; `nil` if there is no such entry, or its key is zero.
    package func peerAddress(of identity: DeviceAddress) -> DeviceAddress? {
        entry(of: identity)?.peerAddress
    }

    /// Returns the private address that the device with the identity last used, or else the address
    /// that the controller made for it; `nil` if there is neither.
    func presentAddress(of identity: DeviceAddress) -> DeviceAddress? {
        entry(of: identity).flatMap { $0.receivedAddress ?? $0.peerAddress }
    }

    /// Returns the identity of the first entry whose local key resolves the address; `nil` if no
    /// local key does, or resolution is disabled. The address is then a private address of this
    /// controller, which either the controller or a peer with the key has made.
    ///
    /// Most hosts have one local key for all entries, so the result is usually the first entry.
    package func ownEntry(_ address: DeviceAddress) -> DeviceAddress? {
        guard isEnabled, address.randomKind == .resolvablePrivate else { return nil }
        return localKeyIndices.first { entries[$0].localKey.resolves(address) }
            .map { entries[$0].peer }
    }

    private func entry(of identity: DeviceAddress) -> ResolvingListEntry? {
        entries.first { $0.peer == identity }
    }
}

// MARK: Changes

extension ResolvingList {
    /// Adds a device, in network privacy mode (Vol 4, Part E, 7.8.38).
    ///
    /// - Throws: `invalidCommandParameters` if an entry has the same identity or the same key of
    ///   the peer, unless that key is zero, `memoryCapacityExceeded` if the list is full.
    mutating func add(
        _ new: ResolvingListEntry,
        at now: Instant,
        using generator: inout RandomStream
    ) throws(HCI.ErrorCode) {
        guard !entries.contains(where: { $0.conflicts(with: new) }) else {
            throw .invalidCommandParameters
        }
        guard entries.count < limit else { throw .memoryCapacityExceeded }
        if isEmpty { madeAt = now }
        entries.append(new)
        entries[entries.count - 1].makeAddresses(using: &generator)
        entriesChanged()
    }

    /// Removes the device.
    ///
    /// - Throws: `unknownConnectionIdentifier` if it is not in the list.
    mutating func remove(_ identity: DeviceAddress) throws(HCI.ErrorCode) {
        entries.remove(at: try index(of: identity))
        entriesChanged()
    }

    /// Removes all devices.
    mutating func removeAll() {
        entries = []
        entriesChanged()
    }

    /// Sets whether the device may also use its identity address.
    ///
    /// - Throws: `invalidCommandParameters` for an unknown mode, `unknownConnectionIdentifier` if
    ///   the device is not in the list.
    mutating func setMode(
        _ mode: HCI.PrivacyMode,
        of identity: DeviceAddress
    ) throws(HCI.ErrorCode) {
        guard mode == .network || mode == .device else { throw .invalidCommandParameters }
        entries[try index(of: identity)].mode = mode
    }

    /// Enables or disables resolution. A change to enabled replaces all private addresses, and a
    /// change to disabled forgets the addresses that were received.
    mutating func setEnabled(_ enables: Bool, at now: Instant, using generator: inout RandomStream)
    {
        guard enables != isEnabled else { return }
        isEnabled = enables
        if enables {
            makeAddresses(at: now, using: &generator)
        } else {
            for index in entries.indices { entries[index].receivedAddress = nil }
        }
    }

    /// Sets the timeout of private addresses, including the current ones.
    mutating func setTimeout(_ timeout: Duration) {
        self.timeout = timeout
    }

    /// Replaces all private addresses.
    mutating func makeAddresses(at now: Instant, using generator: inout RandomStream) {
        for index in entries.indices { entries[index].makeAddresses(using: &generator) }
        madeAt = now
    }

    private func index(of identity: DeviceAddress) throws(HCI.ErrorCode) -> Int {
        guard let index = entries.firstIndex(where: { $0.peer == identity }) else {
            throw .unknownConnectionIdentifier
        }
        return index
    }

    /// Empties the cache, whose indices belong to the previous list, and finds the local keys.
    private mutating func entriesChanged() {
        resolutions.removeAll()
        var keys: Set<HCI.Key128> = []
        localKeyIndices = entries.indices.filter {
            !entries[$0].localKey.isZero && keys.insert(entries[$0].localKey.key).inserted
        }
    }
}
