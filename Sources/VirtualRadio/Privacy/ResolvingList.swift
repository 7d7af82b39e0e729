// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Who is behind which private addresses (Vol 6, Part B, 4.7 and 6).
///
/// Each entry is about one peer: its identity address, the key with which its private addresses are
/// resolved, and the key with which the controller makes its own for it. While resolution is on,
/// the controller has one private address of each kind for each entry, and replaces all of them
/// when they have been in use for as long as the host allows.
package struct ResolvingList: Sendable {
    /// How long private addresses are used if the host says nothing (Vol 4, Part E, 7.8.45).
    package static let defaultTimeout = Duration.seconds(900)

    /// How many devices there may be.
    let limit: Int

    /// Whether LE Set Address Resolution Enable has switched it on.
    package private(set) var isEnabled = false
    /// How long private addresses are used.
    private(set) var timeout = Self.defaultTimeout
    /// When those in use were made.
    private(set) var madeAt = Instant.zero
    /// The timer that replaces them.
    var timer: EventToken?

    private var entries: [ResolvingListEntry] = []
    private var resolutions = ResolutionCache()
    /// The places of the entries whose local keys differ: most hosts have one key for all.
    private var localKeyPlaces: [Int] = []

    init(limit: Int) {
        // LE Read Resolving List Size has one octet for it.
        self.limit = min(limit, Int(UInt8.max))
    }

    /// What a controller makes of a peer's address on the air.
    package enum Resolution: Equatable, Sendable {
        /// It is as it was: resolution is off, or it is nobody's in the list.
        case unresolved
        /// It is a private address of the device with this identity.
        case identity(DeviceAddress)
        /// It is the identity address of a device in the list that must not use it: in network
        /// privacy mode, with a key that is not zero. The packet is to be ignored.
        case refused
    }
}

// MARK: Questions

extension ResolvingList {
    /// Whether there is no device in it.
    var isEmpty: Bool { entries.isEmpty }

    /// Who is behind a peer's address.
    package mutating func resolve(_ address: DeviceAddress) -> Resolution {
        guard isEnabled else { return .unresolved }
        guard address.randomKind == .resolvablePrivate else { return judge(address) }
        let place = resolutions.place(of: address) {
            entries.firstIndex { $0.peerKey.resolves(address) }
        }
        guard let place else { return .unresolved }
        if entries[place].heardAddress != address { entries[place].heardAddress = address }
        return .identity(entries[place].peer)
    }

    /// Whether an address that is not private may be used by whom it belongs to
    /// (Vol 6, Part B, 6.2 to 6.4).
    private func judge(_ address: DeviceAddress) -> Resolution {
        let entry = entries.first { $0.peer == address }
        guard let entry, entry.mode == .network, !entry.peerKey.isZero else { return .unresolved }
        return .refused
    }

    /// The address that the controller goes by towards the device with the identity: its own
    /// private address made with the local key of that entry; nil if there is no such entry, its
    /// local key is zero, or resolution is off.
    package func localAddress(toward identity: DeviceAddress) -> DeviceAddress? {
        entry(of: identity)?.localAddress
    }

    /// The present private address of the device with the identity, made with its key (for directed
    /// advertising); nil if there is no such entry, its key is zero, or resolution is off.
    package func peerAddress(of identity: DeviceAddress) -> DeviceAddress? {
        entry(of: identity)?.peerAddress
    }

    /// The private address by which the device with the identity was heard last, or else would be
    /// called; nil if there is none.
    func presentAddress(of identity: DeviceAddress) -> DeviceAddress? {
        entry(of: identity).flatMap { $0.heardAddress ?? $0.peerAddress }
    }

    /// Whether an address on the air is a private address of the controller, its own or one that a
    /// peer has made with the local key of an entry: the identity of that entry's device. For what
    /// is addressed to this controller. Most hosts have one local key for all entries; then it is
    /// the first of them.
    package func ownEntry(_ address: DeviceAddress) -> DeviceAddress? {
        guard isEnabled, address.randomKind == .resolvablePrivate else { return nil }
        return localKeyPlaces.first { entries[$0].localKey.resolves(address) }
            .map { entries[$0].peer }
    }

    private func entry(of identity: DeviceAddress) -> ResolvingListEntry? {
        entries.first { $0.peer == identity }
    }
}

// MARK: Changes

extension ResolvingList {
    /// Puts a device into the list, in network privacy mode. No two may have the same identity, or
    /// the same key (Vol 4, Part E, 7.8.38).
    mutating func add(
        _ new: ResolvingListEntry,
        at now: Instant,
        using dice: inout RandomStream
    ) throws(HCI.ErrorCode) {
        guard !entries.contains(where: { $0.isLike(new) }) else { throw .invalidCommandParameters }
        guard entries.count < limit else { throw .memoryCapacityExceeded }
        if isEmpty { madeAt = now }
        entries.append(new)
        if isEnabled { entries[entries.count - 1].makeAddresses(using: &dice) }
        entriesChanged()
    }

    /// Takes the device out of the list.
    mutating func remove(_ identity: DeviceAddress) throws(HCI.ErrorCode) {
        entries.remove(at: try place(of: identity))
        entriesChanged()
    }

    /// Takes all devices out of the list.
    mutating func removeAll() {
        entries = []
        entriesChanged()
    }

    /// Says whether the device may also use its identity address.
    mutating func setMode(
        _ mode: HCI.PrivacyMode,
        of identity: DeviceAddress
    ) throws(HCI.ErrorCode) {
        guard mode == .network || mode == .device else { throw .invalidCommandParameters }
        entries[try place(of: identity)].mode = mode
    }

    /// Switches resolution on or off.
    mutating func setEnabled(_ enables: Bool, at now: Instant, using dice: inout RandomStream) {
        guard enables != isEnabled else { return }
        isEnabled = enables
        if enables {
            makeAddresses(at: now, using: &dice)
        } else {
            forgetAddresses()
        }
    }

    /// Says how long private addresses are used, those of now included.
    mutating func setTimeout(_ timeout: Duration) {
        self.timeout = timeout
    }

    /// Makes all private addresses new.
    mutating func makeAddresses(at now: Instant, using dice: inout RandomStream) {
        for place in entries.indices { entries[place].makeAddresses(using: &dice) }
        madeAt = now
    }

    private mutating func forgetAddresses() {
        for place in entries.indices { entries[place].forgetAddresses() }
    }

    private func place(of identity: DeviceAddress) throws(HCI.ErrorCode) -> Int {
        guard let place = entries.firstIndex(where: { $0.peer == identity }) else {
            throw .unknownConnectionIdentifier
        }
        return place
    }

    /// The places that were remembered are those of another list.
    private mutating func entriesChanged() {
        resolutions.removeAll()
        var keys: Set<HCI.Key128> = []
        localKeyPlaces = entries.indices.filter {
            !entries[$0].localKey.isZero && keys.insert(entries[$0].localKey.key).inserted
        }
    }
}
