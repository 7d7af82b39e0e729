// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// An advertiser that the scanner's filter has let pass, and what its host is told of it.
struct AdmittedAdvertiser: Equatable {
    /// The advertiser as it is reported: resolved, where that can be done.
    var address: HCI.PeerAddress
    /// Whom the advertisement is for, as it is reported; nil if for everybody.
    var target: HCI.PeerAddress?

    /// Whether the advertisement is for somebody who may be this controller.
    var isTargetUnresolved: Bool { target?.type == .unresolved }
}

/// The scanning filter policy (Vol 6, Part B, 4.3.3).
extension VirtualController {
    /// Who is behind an advertisement; nil if the host is not to hear of it. An anonymous
    /// advertisement has no advertiser.
    mutating func admit(_ advertiser: DeviceAddress?, target: DeviceAddress?) -> AdmittedAdvertiser?
    {
        guard let address = admitted(advertiser) else { return nil }
        guard let target else { return AdmittedAdvertiser(address: address, target: nil) }
        guard let target = admittedTarget(target) else { return nil }
        return AdmittedAdvertiser(address: address, target: target)
    }

    private mutating func admitted(_ advertiser: DeviceAddress?) -> HCI.PeerAddress? {
        let isChoosy = scanner.settings.usesAcceptList
        guard let advertiser else {
            let isWelcome = !isChoosy || acceptList.containsAnonymous
            return isWelcome ? HCI.PeerAddress(type: .anonymous, value: 0) : nil
        }
        switch resolvingList.resolve(advertiser) {
        case .refused: return nil
        case .identity(let identity):
            guard !isChoosy || acceptList.contains(identity) else { return nil }
            return HCI.PeerAddress(identity: identity)
        case .unresolved:
            guard !isChoosy || acceptList.contains(advertiser) else { return nil }
            return HCI.PeerAddress(advertiser)
        }
    }

    private func admittedTarget(_ target: DeviceAddress) -> HCI.PeerAddress? {
        switch recognize(target, scanner.settings.ownAddressType) {
        case .own: HCI.PeerAddress(target)
        case .ownPrivate:
            HCI.PeerAddress(
                identity: identityAddress(scanner.settings.ownAddressType) ?? publicAddress
            )
        case .unresolved where scanner.settings.reportsUnresolvedTargets:
            HCI.PeerAddress(type: .unresolved, value: target.value)
        case .unresolved, .other: nil
        }
    }
}

extension HCI.PeerAddress {
    /// The address of an identity that the controller has found behind a private address.
    init(identity: DeviceAddress) {
        self.init(
            type: identity.kind == .public ? .publicIdentity : .randomIdentity,
            value: identity.value
        )
    }
}

/// By which two reports are about the same (Vol 6, Part B, 4.4.3.5): the advertiser and what it has
/// sent. Of extended advertising the set and the state of its data belong to that; of legacy
/// advertising the data is of no significance.
struct AdvertisementKey: Hashable, Sendable {
    private let address: UInt64
    private let detail: UInt32

    /// What is reported of the advertiser under this heading.
    init(_ heading: ReportHeading, dataID: UInt16 = 0) {
        address = heading.address.value | UInt64(heading.address.type.rawValue) << 48
        let set = UInt32(heading.setIdentifier) << 16 | UInt32(dataID)
        detail = set | (heading.isScanResponse ? 1 << 31 : 0)
    }
}

extension Scanner {
    /// Whether the host is to be told: always, or if it was not told before.
    func isNews(_ key: AdvertisementKey) -> Bool {
        duplicates == .off || !reported.contains(key)
    }

    /// The host has been told.
    mutating func markReported(_ key: AdvertisementKey) {
        if duplicates != .off { reported.insert(key) }
    }
}
