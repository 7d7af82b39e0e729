// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A client, with the properties on which a server's decision about access may depend.
struct Requester: Hashable, Sendable, CustomStringConvertible {
    let number: UInt64
    var security: LinkSecurity
    var isAuthorized: Bool

    var client: GATTServer.ClientID { .init(rawValue: number) }
    var bearer: GATTServer.BearerID { .init(client: client, channel: 4) }

    /// An authorized requester and an unauthorized requester for each link of the tests.
    static let all: [Requester] = {
        var links = [LinkSecurity.none, LinkSecurity(isBonded: true)]
        for isAuthenticated in [false, true] {
            links += LinkSecurity.keySizeRange.map { size in
                LinkSecurity(
                    isEncrypted: true,
                    isAuthenticated: isAuthenticated,
                    usesSecureConnections: size == 16,
                    keySize: size,
                    isBonded: size.isMultiple(of: 2)
                )
            }
        }
        return (links.map { ($0, false) } + links.map { ($0, true) }).enumerated().map {
            Requester(number: UInt64($0 + 1), security: $1.0, isAuthorized: $1.1)
        }
    }()

    var description: String {
        let link =
            !security.isEncrypted
            ? "clear" : "\(security.isAuthenticated ? "authenticated" : "encrypted")"
        return "\(link) \(security.keySize)\(security.isBonded ? " bonded" : "")"
            + (isAuthorized ? " authorized" : "")
    }
}

/// The access rules of the specification, implemented independently of the server (Vol 3, Part C,
/// 10.3.1, and Vol 3, Part F, 3.2.5 and 3.4.1.1).
enum SpecifiedAccess {
    /// The rules of the tests. `nil` permits no access.
    static let rules: [SecurityRequirement?] =
        [nil, .open, .encrypted, .authenticated, .authorized]
        + [
            SecurityRequirement(needsEncryption: true, needsAuthorization: true),
            SecurityRequirement(needsAuthentication: true, needsAuthorization: true),
            SecurityRequirement(
                needsAuthentication: true,
                needsAuthorization: true,
                keySizeMinimum: 16
            ),
        ]
        + [false, true].flatMap { isAuthenticated in
            (8...16).map { size in
                SecurityRequirement(
                    needsEncryption: true,
                    needsAuthentication: isAuthenticated,
                    keySizeMinimum: size
                )
            }
        }

    /// Returns the error code for a requester, or `nil` if access is permitted. `forbidden` is the
    /// code for an attribute without this permission. A bonded peer is not authenticated before its
    /// link is encrypted, except for the commands that it has signed.
    static func code(
        of rule: SecurityRequirement?,
        for requester: Requester,
        forbidden: UInt8,
        isSigned: Bool = false
    ) -> UInt8? {
        guard let rule else { return forbidden }
        let link = requester.security
        guard link.isEncrypted || !link.isBonded || isSigned else { return 0x0F }
        let wantsKey = rule.needsEncryption || rule.needsAuthentication
        switch (wantsKey, link.isEncrypted, link.isBonded) {
        case (true, false, true): return 0x0F  // Encrypt with the existing key.
        case (true, false, false): return 0x05  // Pair first.
        case (true, true, _) where rule.needsAuthentication && !link.isAuthenticated:
            return 0x05  // Pair with authentication.
        case (true, true, _) where link.keySize < rule.keySizeMinimum:
            return 0x0C  // Pair with a longer key.
        default:
            return rule.needsAuthorization && !requester.isAuthorized ? 0x08 : nil
        }
    }

    /// Returns the error code for an open value.
    static func openValueCode(for requester: Requester) -> UInt8? {
        code(of: .open, for: requester, forbidden: 0)
    }
}
