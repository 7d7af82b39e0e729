// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// L2CAP/LE/CFC and L2CAP/ECFC: requests for channels that are refused with a reason.
@Suite struct CreditBasedRefusalTests {
    /// The reasons of the tester, with their official cases.
    private static let reasons: [(result: String, reason: L2CAP.ConnectionResult)] = [
        ("0200", .spsmNotSupported),  // BV-04-C
        ("0500", .insufficientAuthentication),  // BV-10-C
        ("0600", .insufficientAuthorization),  // BV-12-C
        ("0700", .insufficientKeySize),  // BV-14-C
        ("0400", .noResources),  // BV-16-C
        ("0900", .invalidSource),  // BV-18-C
        ("0A00", .sourceAlreadyAllocated),  // BV-19-C
        ("0B00", .unacceptableParameters),  // BV-21-C
        ("0800", .insufficientEncryption),  // BV-24-C
    ]

    @Test("L2CAP/LE/CFC/BV-04, 10, 12, 14, 16, 18, 19, 21, 24-C: The application gets the reason")
    func isRefused() throws {
        for (result, reason) in Self.reasons {
            var fixture = ChannelFixture()
            try fixture.application(opens: .credit)
            fixture.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
            fixture.tester(signals: "15 81 0A00 0000 0000 0000 0000 \(result)")
            fixture.application(receives: .refused(1, .refused(reason)))
            fixture.weAreSilent()
        }
    }

    @Test("L2CAP/ECFC/BV-04, 10, 12, 14, 16, 18, 19, 21, 31-C: The application gets the reason")
    func areRefused() throws {
        for (result, reason) in Self.reasons {
            var fixture = ChannelFixture()
            try fixture.application(opens: .enhanced, count: 2)
            fixture.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
            fixture.tester(signals: "18 81 0C00 0000 0000 0000 \(result) 0000 0000")
            fixture.application(receives: .refused(1, .refused(reason)))
            fixture.weAreSilent()
        }
    }

    @Test("A refusal without channels, as Bumble 0.0.236 sends it, is accepted")
    func refusalWithoutChannels() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .enhanced, count: 2)
        fixture.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
        fixture.tester(signals: "18 81 0800 0000 0000 0000 0200")
        fixture.application(receives: .refused(1, .refused(.spsmNotSupported)))
    }

    /// The requirement of a listener, the security of the link, and the reason that the tester
    /// gets.
    private static let securities: [(SecurityRequirement, LinkSecurity, String)] = [
        // BV-11-C: no key, or a key without authentication.
        (.encrypted, .none, "0500"),
        (.authenticated, .none, "0500"),
        (.authenticated, LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true), "0500"),
        // BV-13-C
        (.init(needsAuthorization: true), .none, "0600"),
        // BV-15-C
        (
            .init(needsEncryption: true, keySizeMinimum: 16),
            LinkSecurity(isEncrypted: true, keySize: 7), "0700"
        ),
        // BV-25-C: a key on an unencrypted link.
        (.encrypted, LinkSecurity(isBonded: true), "0800"),
        (.authenticated, LinkSecurity(isAuthenticated: true, isBonded: true), "0800"),
    ]

    @Test("L2CAP/LE/CFC/BV-11-C, BV-13-C, BV-15-C, BV-25-C: Security, Responder")
    func refusesOneByItsSecurity() {
        for (requirement, security, result) in Self.securities {
            var fixture = ChannelFixture { $0.requirement = requirement }
            fixture.conditions.security = security
            fixture.tester(signals: "14 01 0A00 8000 5000 6400 2000 0200")
            fixture.we(signal: "15 01 0A00 0000 0000 0000 0000 \(result)")
            fixture.weAreSilent()
        }
    }

    @Test("L2CAP/ECFC/BV-11-C, BV-13-C, BV-15-C, BV-32-C: Security, Responder")
    func refusesSeveralByTheirSecurity() {
        for (requirement, security, result) in Self.securities {
            var fixture = ChannelFixture { $0.requirement = requirement }
            fixture.conditions.security = security
            fixture.tester(signals: "17 01 0C00 8000 6400 6400 0200 5000 5100")
            fixture.we(signal: "18 01 0C00 0000 0000 0000 \(result) 0000 0000")
            fixture.weAreSilent()
        }
    }

    @Test("A link with sufficient security gets the channel")
    func isSecure() {
        let needs = SecurityRequirement(
            needsAuthentication: true,
            needsAuthorization: true,
            keySizeMinimum: 16
        )
        var fixture = ChannelFixture { $0.requirement = needs }
        fixture.conditions.security = LinkSecurity(
            isEncrypted: true,
            isAuthenticated: true,
            keySize: 16
        )
        fixture.conditions.isAuthorized = true
        fixture.tester(signals: "14 01 0A00 8000 5000 6400 2000 0200")
        fixture.we(signal: "15 01 0A00 4000 6400 4000 0400 0000")
    }

    @Test("L2CAP/LE/CFC/BV-17-C: Refused due to insufficient resources, Responder")
    func noRoom() {
        var fixture = ChannelFixture { $0.freeChannelCount = 0 }
        fixture.tester(signals: "14 01 0A00 8000 5000 6400 2000 0200")
        fixture.we(signal: "15 01 0A00 0000 0000 0000 0000 0400")
    }

    @Test("A source CID outside 0x0040 to 0x007F is invalid", arguments: ["3F00", "8000", "0000"])
    func invalidSource(source: String) {
        var fixture = ChannelFixture()
        fixture.tester(signals: "14 01 0A00 8000 \(source) 6400 2000 0200")
        fixture.we(signal: "15 01 0A00 0000 0000 0000 0000 0900")
    }

    @Test("L2CAP/LE/CFC/BV-20-C: Refused due to Source CID already allocated, Responder")
    func allocatedSource() {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(signals: "14 02 0A00 8000 5000 6400 2000 0200")
        fixture.we(signal: "15 02 0A00 0000 0000 0000 0000 0A00")
        fixture.tester(sends: "0100 01")
        fixture.application(receives: .arrived(ChannelFixture.channel(0x0040)))
    }

    @Test("An MTU or MPS below 23 is unacceptable", arguments: ["1600 1700", "1700 1600"])
    func smallSizes(sizes: String) {
        var fixture = ChannelFixture()
        fixture.tester(signals: "14 01 0A00 8000 5000 \(sizes) 0200")
        fixture.we(signal: "15 01 0A00 0000 0000 0000 0000 0B00")
    }

    @Test(
        "A response that grants invalid parameters opens no channel",
        arguments: [
            "0000 6400 2000 0200", "3F00 6400 2000 0200", "5000 1600 2000 0200",
            "5000 6400 1600 0200",
        ]
    )
    func impossibleGrant(grant: String) throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .credit)
        fixture.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
        fixture.tester(signals: "15 81 0A00 \(grant) 0000")
        fixture.application(receives: .refused(1, .malformedAnswer))
    }
}
