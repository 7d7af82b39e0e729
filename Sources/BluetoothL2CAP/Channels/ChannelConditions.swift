// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// On what terms channels are given for one SPSM.
package struct ListenerTerms: Equatable, Sendable {
    package var requirement = SecurityRequirement.open
    package var options = L2CAP.ChannelOptions()
    /// Whether channels are given in the enhanced mode only.
    package var isEnhancedOnly = false
    /// The least MTU of the peer's that is of use.
    package var peerMTUMinimum = 0
    /// How many more channels whoever listens can take now.
    package var room = LogicalLink.channelLimit

    package init() {}
}

/// What decides whether a peer gets a channel: who listens, and how the link is protected.
package struct ChannelConditions: Equatable, Sendable {
    package var listeners: [L2CAP.SPSM: ListenerTerms] = [:]
    package var security = LinkSecurity.none
    /// Whether the application has authorized the peer.
    package var isAuthorized = false

    package init() {}

    /// The terms of a channel in this mode for an SPSM, or why there is none.
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
    /// Why a peer does not get a channel.
    struct ConnectionRefusal: Error, Equatable {
        let result: ConnectionResult
    }
}

extension L2CAP.ConnectionResult {
    /// What a peer is told whose link lacks something (Vol 3, Part A, 4.23).
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
