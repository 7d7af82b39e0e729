// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// An advertiser that passes the scanner's filter policy, as the controller reports it.
struct AdmittedAdvertiser: Equatable {
    /// The address of the advertiser, resolved if possible.
    var address: HCI.PeerAddress
    /// The target of directed advertising; `nil` for undirected advertising.
    var target: HCI.PeerAddress?
}

/// The scanning filter policy (Vol 6, Part B, 4.3.3).
extension VirtualController {
    /// Returns the advertiser as it is reported; `nil` if the filter policy or a privacy mode
    /// blocks the advertisement, or if it is directed to another device and the controller does not
    /// report such advertisements. An anonymous advertisement has no advertiser.
    mutating func admit(_ advertiser: DeviceAddress?, target: DeviceAddress?) -> AdmittedAdvertiser?
    {
        guard let address = admitted(advertiser) else { return nil }
        guard let target else { return AdmittedAdvertiser(address: address, target: nil) }
        guard let target = admittedTarget(target) else { return nil }
        return AdmittedAdvertiser(address: address, target: target)
    }

    private mutating func admitted(_ advertiser: DeviceAddress?) -> HCI.PeerAddress? {
        let usesAcceptList = scanner.settings.usesAcceptList
        guard let advertiser else {
            let isAdmitted = !usesAcceptList || acceptList.containsAnonymous
            return isAdmitted ? HCI.PeerAddress(type: .anonymous, value: 0) : nil
        }
        switch resolvingList.resolve(advertiser) {
        case .refused: return nil
        case .identity(let identity):
            guard !usesAcceptList || acceptList.contains(identity) else { return nil }
            return HCI.PeerAddress(identity: identity)
        case .unresolved:
            guard !usesAcceptList || acceptList.contains(advertiser) else { return nil }
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
        case .unresolved, .other: configuration.reportsAllTargets ? HCI.PeerAddress(target) : nil
        }
    }
}

extension HCI.PeerAddress {
    /// Creates the address of an identity to which the controller has resolved a private address.
    init(identity: DeviceAddress) {
        self.init(
            type: identity.kind == .public ? .publicIdentity : .randomIdentity,
            value: identity.value
        )
    }
}

/// The key by which the duplicate filter recognizes an advertisement (Vol 6, Part B, 4.4.3.5): the
/// advertiser, and whether the packet is a scan response. The key of extended advertising includes
/// the set and the DID of the data. The data of legacy advertising is not part of the key.
struct AdvertisementKey: Hashable, Sendable {
    private let address: UInt64
    private let detail: UInt32

    /// Creates the key of an advertisement with these properties.
    init(_ heading: ReportHeading, dataID: UInt16 = 0) {
        address = heading.address.value | UInt64(heading.address.type.rawValue) << 48
        let set = UInt32(heading.setIdentifier) << 16 | UInt32(dataID)
        detail = set | (heading.isScanResponse ? 1 << 31 : 0)
    }
}

extension Scanner {
    /// Returns whether to report the advertisement: always without a duplicate filter, or if it was
    /// not reported before.
    func isUnreported(_ key: AdvertisementKey) -> Bool {
        duplicates == .off || !reported.contains(key)
    }

    /// Records that the advertisement was reported.
    mutating func markReported(_ key: AdvertisementKey) {
        if duplicates != .off { reported.insert(key) }
    }
}
