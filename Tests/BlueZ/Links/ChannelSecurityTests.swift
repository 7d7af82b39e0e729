// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// Channels that require security: the side that opens a channel pairs after a refusal, and
/// requests the channel again.
@Suite(.machines) struct ChannelSecurityTests {
    @Test(
        "The host pairs to open a channel for which Linux requires encryption",
        arguments: Setting.each(BlueZRole.peripheral, orElse: .central)
    )
    func encryptionForLinux(
        _ setting: Setting,
        _ role: BlueZRole
    ) async throws {
        try await withLink(setting, as: role, "L2CAP: BlueZ asks for encryption") { fixture in
            let work = KernelChannel(
                work: .listenAndReceive,
                psm: 0x0081,
                length: 300,
                protection: .encrypted
            )
            try await fixture.bluez.start(work)
            let channel = try await fixture.link.openChannel(psm: 0x0081)
            #expect(await fixture.host.bonds.count == 1)
            try await send(1, of: 300, on: channel)
            var report = KernelReport()
            try await fixture.bluez.follow(&report) { $0.byteCount == 300 }
            #expect(report.mismatches == [])
        }
    }

    @Test(
        "The host pairs by numeric comparison to open a channel that requires authentication",
        arguments: Setting.all
    )
    func authenticationForLinux(_ setting: Setting) async throws {
        var configuration = HostConfiguration()
        configuration.pairing.ioCapability = .displayYesNo
        try await withLink(
            setting,
            as: .peripheral,
            "L2CAP: BlueZ asks for authentication",
            io: .displayYesNo,
            configuration
        ) { fixture in
            let work = KernelChannel(
                work: .listenAndSend,
                psm: 0x0083,
                length: 300,
                protection: .authenticated
            )
            try await fixture.bluez.start(work)
            let channel = try await fixture.link.openChannel(psm: 0x0083)
            try await expectSDUs(1, of: 300, on: channel)
            let question = try await fixture.bluez.question("confirm")
            let passkey = try #require(question["passkey"].integer)
            #expect(fixture.person.experiences == [.compared(UInt32(passkey))])
            #expect(try await fixture.link.pair().isAuthenticated)
        }
    }

    @Test(
        "Linux refuses a channel that requires authentication after Just Works",
        arguments: Setting.all
    )
    func justWorks(_ setting: Setting) async throws {
        try await withLink(
            setting,
            as: .peripheral,
            "L2CAP: no authentication"
        ) { fixture in
            let work = KernelChannel(
                work: .listenAndSend,
                psm: 0x0085,
                protection: .authenticated
            )
            try await fixture.bluez.start(work)
            // Linux refuses the second request on the encrypted link with the same error, which is
            // then final.
            await #expect(throws: L2CAP.Failure.refused(.insufficientAuthentication)) {
                try await fixture.link.openChannel(psm: 0x0085)
            }
            #expect(try await fixture.link.bondedPeer?.identity == fixture.kernelAddress)
        }
    }

    @Test(
        "Linux pairs to open a channel for which the host requires encryption",
        arguments: Setting.each(BlueZRole.central, orElse: .peripheral)
    )
    func encryptionForHost(
        _ setting: Setting,
        _ role: BlueZRole
    ) async throws {
        try await withLink(setting, as: role, "L2CAP: the host asks for encryption") { fixture in
            let listener = try await fixture.host.listen(psm: 0x0087, requirement: .encrypted)
            let work = KernelChannel(work: .openAndSend, psm: 0x0087, length: 300, count: 2)
            try await fixture.bluez.start(work, to: fixture.ourAddress)
            let channel = try #require(try await listener.accept())
            try await expectSDUs(2, of: 300, on: channel)
            #expect(try await fixture.link.bondedPeer?.identity == fixture.kernelAddress)
        }
    }
}
