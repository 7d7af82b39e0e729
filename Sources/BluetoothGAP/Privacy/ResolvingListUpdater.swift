// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// An updater that brings the controller's resolving list to the requested contents, one operation
/// at a time (Vol 6, Part B, 4.7; Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
///
/// Operations may only be issued while the controller neither advertises, scans nor initiates. The
/// list changes only while resolution is off. The specification then allows changes during these
/// activities as well, but some controllers refuse them.
///
/// If there are more peers than fit, the first ones are put on the list, and the host resolves the
/// others. The host resolves all peers if the controller has no list. If the controller refuses the
/// list or does not resolve with it, the list stays unused (`isGivenUp`) until the host ends.
///
/// Peers are in *device privacy mode*, in which they may also use their identity address. A bond
/// does not state whether a peer does so, and in network privacy mode the controller would drop
/// such packets. The list of a controller without device privacy mode therefore stays unused.
package struct ResolvingListUpdater: Sendable {
    /// A peer and its keys.
    package struct Entry: Hashable, Sendable {
        package let identity: DeviceAddress
        package let peerKey: HCI.Key128
        /// The key of the host's private addresses, or zero if the host has none.
        package let localKey: HCI.Key128

        package init(identity: DeviceAddress, peerKey: HCI.Key128, localKey: HCI.Key128) {
            self.identity = identity
            self.peerKey = peerKey
            self.localKey = localKey
        }
    }

    /// The number of failed operations in a row after which the list stays unused.
    static let refusalLimit = 3

    /// The number of unresolved addresses of listed peers after which the list stays unused.
    static let missLimit = 3

    /// The requested peers, the most important first.
    private var wanted: [Entry] = []
    /// The peers that the controller refused. A peer with new keys is tried again.
    private var rejected: Set<Entry> = []
    /// The number of peers that fit.
    private var capacity = 0
    /// The contents of the list, or `nil` if they are unknown.
    private var contents: [Entry]?
    /// The peers that are in device privacy mode.
    private var modes: Set<DeviceAddress> = []
    /// Whether resolution is on, or `nil` if that is unknown.
    private var isEnabled: Bool? = false
    private var refusalCount = 0
    private var missCount = 0
    /// Whether the list stays unused.
    package private(set) var isGivenUp = false
    /// The next operation toward the requested contents, or `nil` if none is necessary. The host
    /// reads it after every packet, so it is stored.
    package private(set) var nextOperation: PrivacyOperation?

    package init() {}

    // MARK: - Requests

    /// Requests that the controller resolves the addresses of these peers, the most important
    /// first.
    package mutating func request(_ entries: [Entry]) {
        defer { nextOperation = findNextOperation() }
        wanted = entries.filter { entry in entry.peerKey.bytes.contains { $0 != 0 } }
        rejected.formIntersection(wanted)
    }

    /// Whether the host uses the resolving list. The controller then resolves the addresses of the
    /// first requested peers, and the host's own address in directed advertising of these peers.
    package var isUsed: Bool { capacity > 0 }

    /// Returns whether the controller translates between this peer's identity address and its
    /// private addresses, in received packets and in commands.
    package func resolves(_ identity: DeviceAddress) -> Bool {
        isEnabled == true && contents?.contains { $0.identity == identity } ?? false
    }

    /// Forgets the state of a controller that is reset.
    mutating func forgetController() {
        defer { nextOperation = findNextOperation() }
        contents = nil
        modes = []
        isEnabled = false
        refusalCount = 0
    }

    /// Begins with a controller that was reset.
    package mutating func configure(_ capabilities: ControllerCapabilities) {
        defer { nextOperation = findNextOperation() }
        forgetController()
        rejected = []
        let isUsable = Self.isUsable(with: capabilities)
        capacity = isUsable && !isGivenUp ? capabilities.resolvingListSize : 0
    }

    /// Returns whether a controller has a resolving list, with device privacy mode.
    static func isUsable(with capabilities: ControllerCapabilities) -> Bool {
        capabilities.supports(HCI.LEAddDeviceToResolvingList.self)
            && capabilities.supports(HCI.LERemoveDeviceFromResolvingList.self)
            && capabilities.supports(HCI.LEClearResolvingList.self)
            && capabilities.supports(HCI.LESetAddressResolutionEnable.self)
            && capabilities.supports(HCI.LESetPrivacyMode.self)
            && capabilities.resolvingListSize > 0
    }

    /// Records that the controller did not resolve the address of a peer that is on its list.
    ///
    /// After `missLimit` such cases, the list stays unused, because some controllers accept the
    /// commands but do not resolve addresses. Bumble's controller is an example.
    mutating func missed() {
        defer { nextOperation = findNextOperation() }
        missCount += 1
        if missCount >= Self.missLimit { giveUp() }
    }

    private mutating func giveUp() {
        isGivenUp = true
        capacity = 0
    }

    // MARK: - Operations

    /// The requested contents of the list.
    private var target: [Entry] {
        Array(wanted.lazy.filter { !rejected.contains($0) }.prefix(capacity))
    }

    private func findNextOperation() -> PrivacyOperation? {
        let target = target
        guard !target.isEmpty else { return isEnabled == false ? nil : .enableResolution(false) }
        if let edit = nextEdit(toward: target) {
            return isEnabled == false ? edit : .enableResolution(false)
        }
        return isEnabled == true ? nil : .enableResolution(true)
    }

    private func nextEdit(toward target: [Entry]) -> PrivacyOperation? {
        guard let contents else { return .clearList }
        if let extra = contents.first(where: { !target.contains($0) }) {
            return .remove(extra.identity)
        }
        if let missing = target.first(where: { !contents.contains($0) }) { return .add(missing) }
        return contents.first { !modes.contains($0.identity) }.map { .setDeviceMode($0.identity) }
    }

    /// Records the answer to an operation.
    ///
    /// - Returns: `false` if the operation failed and is repeated later.
    mutating func finished(_ operation: PrivacyOperation, _ outcome: OperationOutcome) -> Bool {
        defer { nextOperation = findNextOperation() }
        guard outcome == .accepted else { return refused(operation, outcome) }
        refusalCount = 0
        switch operation {
        case .setRandomAddress: break
        case .enableResolution(let isOn): isEnabled = isOn
        case .clearList:
            contents = []
            modes = []
        case .add(let entry): contents?.append(entry)
        case .remove(let identity):
            contents?.removeAll { $0.identity == identity }
            modes.remove(identity)
        case .setDeviceMode(let identity): modes.insert(identity)
        }
        return true
    }

    private mutating func refused(_ operation: PrivacyOperation, _ outcome: OperationOutcome)
        -> Bool
    {
        switch (operation, outcome) {
        case (_, .unanswered), (_, .disallowed): return failed(operation)
        case (.add, .refused(.memoryCapacityExceeded)): capacity = contents?.count ?? 0
        case (.add(let entry), .refused(.invalidCommandParameters)):
            rejected.insert(entry)
        case (.enableResolution(false), _):
            // A controller that does not know the command does not resolve.
            isEnabled = false
            giveUp()
        case (_, .refused(.unknownCommand)): giveUp()
        // Without device privacy mode, the controller would drop the peer's identity address.
        case (.setDeviceMode(let identity), _):
            rejected.formUnion(wanted.filter { $0.identity == identity })
        default: return failed(operation)
        }
        return true
    }

    /// Records that an operation failed, so that the state that it changes is unknown. Returns
    /// `false` if the operation is repeated later. After `refusalLimit` failures in a row, returns
    /// `true`, and the list stays unused.
    private mutating func failed(_ operation: PrivacyOperation) -> Bool {
        if case .enableResolution = operation { isEnabled = nil } else { contents = nil }
        modes = []
        refusalCount += 1
        guard refusalCount >= Self.refusalLimit else { return false }
        refusalCount = 0
        giveUp()
        // After this many attempts, resolution counts as off.
        if operation == .enableResolution(false) { isEnabled = false }
        return true
    }
}
