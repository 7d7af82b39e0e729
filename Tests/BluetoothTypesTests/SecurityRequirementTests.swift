// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("Security requirements of a link")
struct SecurityRequirementTests {
    private static let encrypted = LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true)
    private static let authenticated = LinkSecurity(
        isEncrypted: true,
        isAuthenticated: true,
        keySize: 16
    )

    @Test("A link that meets the requirement lacks nothing")
    func satisfied() {
        let best = Self.authenticated
        for requirement in [SecurityRequirement.open, .encrypted, .authenticated] {
            #expect(requirement.shortfall(of: best, isAuthorized: false) == nil)
        }
        #expect(SecurityRequirement.open.shortfall(of: .none, isAuthorized: false) == nil)
        #expect(SecurityRequirement.authorized.shortfall(of: .none, isAuthorized: true) == nil)
    }

    @Test("A requirement for authentication includes encryption, even if its flag is cleared")
    func inclusion() {
        #expect(SecurityRequirement.authenticated.needsEncryption)
        var requirement = SecurityRequirement.authenticated
        requirement.needsEncryption = false
        #expect(requirement.shortfall(of: .none, isAuthorized: true) == .authentication)
    }

    @Test("An unencrypted link lacks encryption if it is bonded, and authentication otherwise")
    func encryption() {
        for requirement in [SecurityRequirement.encrypted, .authenticated] {
            let isBonded = LinkSecurity(isBonded: true)
            #expect(requirement.shortfall(of: isBonded, isAuthorized: true) == .encryption)
            #expect(requirement.shortfall(of: .none, isAuthorized: true) == .authentication)
        }
    }

    @Test("The shortfall is reported in order: authentication, key size, authorization")
    func order() {
        var requirement = SecurityRequirement(
            needsAuthentication: true,
            needsAuthorization: true,
            keySizeMinimum: 16
        )
        var link = Self.encrypted
        link.keySize = 7
        #expect(requirement.shortfall(of: link, isAuthorized: false) == .authentication)
        link.isAuthenticated = true
        #expect(requirement.shortfall(of: link, isAuthorized: false) == .keySize)
        link.keySize = 16
        #expect(requirement.shortfall(of: link, isAuthorized: false) == .authorization)
        #expect(requirement.shortfall(of: link, isAuthorized: true) == nil)
        requirement.keySizeMinimum = 17
        #expect(requirement.shortfall(of: link, isAuthorized: true) == .keySize)
    }

    @Test(
        "A minimum key size has no effect without a requirement for encryption",
        arguments: 7...16
    )
    func keySize(minimum: Int) {
        let open = SecurityRequirement(keySizeMinimum: minimum)
        #expect(open.shortfall(of: .none, isAuthorized: false) == nil)
        let encrypted = SecurityRequirement(needsEncryption: true, keySizeMinimum: minimum)
        for size in LinkSecurity.keySizeRange {
            let link = LinkSecurity(isEncrypted: true, keySize: size)
            let lacking: SecurityRequirement.Shortfall? = size < minimum ? .keySize : nil
            #expect(encrypted.shortfall(of: link, isAuthorized: false) == lacking)
        }
    }
}
