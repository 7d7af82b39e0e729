// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The conditions under which the host accepts channels for one SPSM.
package struct ListenerTerms: Equatable, Sendable {
    package var requirement = SecurityRequirement.open
    package var options = L2CAP.ChannelOptions()
    /// Whether the listener accepts channels in the enhanced mode only.
    package var isEnhancedOnly = false
    /// The minimum MTU that the listener requires of the peer, in bytes.
    package var peerMTUMinimum = 0
    /// The number of further channels that the listener can accept now.
    package var freeChannelCount = LogicalLink.channelLimit

    package init() {}
}

/// The facts that decide whether the host accepts a channel: the listeners and the security of the
/// link.
package struct ChannelConditions: Equatable, Sendable {
    package var listeners: [L2CAP.SPSM: ListenerTerms] = [:]
    package var security = LinkSecurity.none
    /// Whether the application has authorized the peer.
    package var isAuthorized = false

    package init() {}

    /// Returns the terms for a channel of this mode and SPSM, or the reason to refuse it.
    func terms(
        for spsm: L2CAP.SPSM,
        _ mode: L2CAP.Mode
    ) -> Result<ListenerTerms, L2CAP.ConnectionRefusal> {
        guard let terms = listeners[spsm], mode == .enhanced || !terms.isEnhancedOnly
        else { return .failure(.init(result: .spsmNotSupported)) }
        let lacking = terms.requirement.shortfall(of: security, isAuthorized: isAuthorized)
        return lacking.map { .failure(.init(result: .init($0))) } ?? .success(terms)
    }
}

extension L2CAP {
    /// The reason to refuse a channel to a peer.
    struct ConnectionRefusal: Error, Equatable {
        let result: ConnectionResult
    }
}

extension L2CAP.ConnectionResult {
    /// Creates the result that states the missing protection of the link (Vol 3, Part A, 4.23).
    init(_ shortfall: SecurityRequirement.Shortfall) {
        self =
            switch shortfall {
            case .authentication: .insufficientAuthentication
            case .encryption: .insufficientEncryption
            case .keySize: .insufficientKeySize
            case .authorization: .insufficientAuthorization
            }
    }
}
