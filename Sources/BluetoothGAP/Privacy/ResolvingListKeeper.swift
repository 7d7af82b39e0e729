// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Brings the controller's resolving list to what is wanted, one order at a time, and knows what it
/// holds (Vol 6, Part B, 4.7; Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
///
/// Orders are to be given only while the controller neither advertises, scans nor initiates. The list
/// is changed while resolution is off, although the specification allows more in such a moment: there
/// are controllers that do not.
///
/// Of more peers than fit, the first that are wanted go in; the host resolves the others. So it does
/// for a controller without the list, or one that refuses it: that is given up for good (`isGivenUp`),
/// until the host begins anew.
///
/// Peers are in *device privacy mode*: they may use their identity address as well. A bond does not
/// say whether a peer will, and one in network privacy mode that does would never be heard again. A
/// controller that has the list but no such mode is therefore not used for it.
package struct ResolvingListKeeper: Sendable {
    /// A peer, and the keys to be used with it.
    package struct Entry: Hashable, Sendable {
        package let identity: DeviceAddress
        package let peerKey: HCI.Key128
        /// With which private addresses are made that mean us; zero: we have none.
        package let localKey: HCI.Key128

        package init(identity: DeviceAddress, peerKey: HCI.Key128, localKey: HCI.Key128) {
            self.identity = identity
            self.peerKey = peerKey
            self.localKey = localKey
        }
    }

    /// After so many refusals without a success the list is given up.
    static let refusalLimit = 3

    /// How often somebody in the list may go unrecognised.
    static let missLimit = 3

    /// Those who are wanted, the most important first.
    private var wanted: [Entry] = []
    /// Those whom the controller does not take, whatever the reason.
    private var rejected: Set<DeviceAddress> = []
    /// How many fit.
    private var capacity = 0
    /// What the list holds; nil if that is not known.
    private var contents: [Entry]?
    /// Who has its privacy mode.
    private var modes: Set<DeviceAddress> = []
    /// Whether resolution is on; nil if that is not known.
    private var isEnabled: Bool? = false
    private var refusalCount = 0
    private var missCount = 0
    /// Whether the controller is not to be trusted with addresses any more.
    package private(set) var isGivenUp = false

    package init() {}

    // MARK: - What callers want

    /// These peers are to be recognised.
    package mutating func want(_ entries: [Entry]) {
        wanted = entries.filter { entry in entry.peerKey.bytes.contains { $0 != 0 } }
        rejected = rejected.filter { identity in wanted.contains { $0.identity == identity } }
    }

    /// Whether the controller recognises this peer, and knows how to call it.
    package func resolves(_ identity: DeviceAddress) -> Bool {
        isEnabled == true && contents?.contains { $0.identity == identity } ?? false
    }

    /// The controller is being reset.
    mutating func forgetController() {
        contents = nil
        modes = []
        isEnabled = false
        refusalCount = 0
    }

    /// A controller that is fresh from its reset.
    package mutating func configure(_ capabilities: ControllerCapabilities) {
        forgetController()
        rejected = []
        let isUsable =
            capabilities.supports(HCI.LEAddDeviceToResolvingList.self)
            && capabilities.supports(HCI.LERemoveDeviceFromResolvingList.self)
            && capabilities.supports(HCI.LEClearResolvingList.self)
            && capabilities.supports(HCI.LESetAddressResolutionEnable.self)
            && capabilities.supports(HCI.LESetPrivacyMode.self)
        capacity = isUsable && !isGivenUp ? capabilities.resolvingListSize : 0
    }

    /// Somebody was not recognised who is in the list. After `missLimit` times the controller is not
    /// believed any more: there are some that take the commands, and nothing comes of it (Bumble's
    /// is one).
    mutating func missed() {
        missCount += 1
        if missCount >= Self.missLimit { giveUp() }
    }

    private mutating func giveUp() {
        isGivenUp = true
        capacity = 0
    }

    // MARK: - Orders

    /// Those who are to be in the list.
    private var target: [Entry] {
        Array(wanted.lazy.filter { !rejected.contains($0.identity) }.prefix(capacity))
    }

    /// The next order on the way to what is wanted; nil when nothing is to be done.
    package var nextOrder: PrivacyOrder? {
        let target = target
        guard !target.isEmpty else { return isEnabled == false ? nil : .enableResolution(false) }
        if let edit = nextEdit(toward: target) {
            return isEnabled == false ? edit : .enableResolution(false)
        }
        return isEnabled == true ? nil : .enableResolution(true)
    }

    private func nextEdit(toward target: [Entry]) -> PrivacyOrder? {
        guard let contents else { return .clearList }
        if let extra = contents.first(where: { !target.contains($0) }) {
            return .remove(extra.identity)
        }
        if let missing = target.first(where: { !contents.contains($0) }) { return .add(missing) }
        return contents.first { !modes.contains($0.identity) }.map { .setDeviceMode($0.identity) }
    }

    /// Draws the conclusions from the answer to an order. False: it was not carried out, for a reason
    /// that may pass, and is to be tried again later.
    mutating func finished(_ order: PrivacyOrder, _ outcome: OrderOutcome) -> Bool {
        guard outcome == .accepted else { return refused(order, outcome) }
        refusalCount = 0
        switch order {
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

    private mutating func refused(_ order: PrivacyOrder, _ outcome: OrderOutcome) -> Bool {
        switch (order, outcome) {
        case (_, .unanswered), (_, .disallowed): return failed(order)
        case (.add, .refused(.memoryCapacityExceeded)): capacity = contents?.count ?? 0
        case (.add(let entry), .refused(.invalidCommandParameters)):
            rejected.insert(entry.identity)
        case (.enableResolution(false), _):
            // What it does not know, it does not do.
            isEnabled = false
            giveUp()
        case (_, .refused(.unknownCommand)): giveUp()
        // Without its mode it would be ignored when it shows its identity.
        case (.setDeviceMode(let identity), _): rejected.insert(identity)
        default: return failed(order)
        }
        return true
    }

    /// What the controller has is not known any more.
    private mutating func failed(_ order: PrivacyOrder) -> Bool {
        if case .enableResolution = order { isEnabled = nil } else { contents = nil }
        modes = []
        refusalCount += 1
        guard refusalCount >= Self.refusalLimit else { return false }
        refusalCount = 0
        giveUp()
        // Told off as often as that, it is left alone.
        if order == .enableResolution(false) { isEnabled = false }
        return true
    }
}
