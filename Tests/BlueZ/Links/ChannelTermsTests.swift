// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// The sizes and credits of channels with Linux, and how the channels end.
///
/// Data on enhanced channels is not tested here, because Debian's l2test cannot listen for them
/// ("Can't get default L2CAP options"). Enhanced ATT with BlueZ uses such channels.
@Suite(.machines) struct ChannelTermsTests {
    @Test(
        "A channel delivers all data in the smallest frames and to a paused reader",
        arguments: Setting.oldestAndLatest
    )
    func credits(_ setting: Setting) async throws {
        try await withLink(setting, as: .peripheral, "L2CAP: credits") { fixture in
            try await sendInSmallestFrames(in: fixture)
            try await stopReading(in: fixture)
        }
    }

    @Test(
        "Refused and closed channels report their reasons",
        arguments: Setting.each(BlueZRole.peripheral, orElse: .central)
    )
    func refusalsAndEnds(_ setting: Setting, _ role: BlueZRole) async throws {
        try await withLink(setting, as: role, "L2CAP: refusals and ends") { fixture in
            await #expect(throws: L2CAP.Failure.refused(.spsmNotSupported)) {
                try await fixture.link.openChannel(psm: 0x00C1)
            }
            // Debian 12 supports enhanced channels only with an option.
            let refusal: L2CAP.Failure =
                setting.release == .bookworm ? .notSupported : .refused(.spsmNotSupported)
            await #expect(throws: refusal) {
                try await fixture.link.openEnhancedChannels(psm: 0x00C1, count: 2)
            }
            try await refuseWithoutListener(in: fixture)
            try await endByKilledProgram(in: fixture)
            try await endByDisconnection(in: fixture)
        }
    }
}

/// Makes the kernel send to a channel with the smallest size, so that each of its frames holds 23
/// bytes and needs a credit of its own. Expects that all data arrives.
private func sendInSmallestFrames(in fixture: LinkFixture) async throws {
    let work = KernelChannel(work: .listenAndSend, psm: 0x00A1, length: 1_000, count: 60)
    try await fixture.bluez.start(work, as: "small")
    let channel = try await fixture.link.openChannel(
        psm: 0x00A1,
        options: L2CAP.ChannelOptions(mtu: 1_000, mps: 23, window: 3)
    )
    try await expectSDUs(60, of: 1_000, on: channel)
    await channel.close()
}

/// Makes the kernel send until our side, which does not receive, grants no more credits. Expects
/// that all data arrives when our side receives.
private func stopReading(in fixture: LinkFixture) async throws {
    let work = KernelChannel(work: .listenAndSend, psm: 0x00A3, length: 400, count: 300)
    try await fixture.bluez.start(work, as: "stopped")
    let channel = try await fixture.link.openChannel(
        psm: 0x00A3,
        options: L2CAP.ChannelOptions(mtu: 400, mps: 134, window: 6)
    )
    try await within(Limits.step, "the credits to run out") {
        while try await channel.properties.receiveCredits > 0 {
            _ = try await fixture.link.readRemoteVersion()
        }
    }
    try await expectSDUs(300, of: 400, on: channel)
    await channel.close()
}

/// Expects that our host refuses a channel without a listener. The program in the machine does not
/// notice a refusal that arrives before it waits, so the test reads the refusal from BlueZ's
/// monitor.
private func refuseWithoutListener(in fixture: LinkFixture) async throws {
    try await fixture.bluez.watchHCI()
    let refused = KernelChannel(work: .openAndSend, psm: 0x00C3)
    try await fixture.bluez.start(refused, to: fixture.ourAddress, as: "refused")
    try await fixture.bluez.sawHCI { $0.contains("Result: Connection refused - PSM not supported") }
}

/// Expects that a killed program in the machine loses its channel, and that the link stays.
private func endByKilledProgram(in fixture: LinkFixture) async throws {
    let listener = try await fixture.host.listen(psm: 0x00B1)
    let silent = KernelChannel(work: .openAndKeepSilent, psm: 0x00B1)
    try await fixture.bluez.start(silent, to: fixture.ourAddress, as: "silent")
    let channel = try #require(try await listener.accept())
    // If the program ends before our answer, Linux forgets the channel and does not close it.
    _ = try await fixture.bluez.output(of: "silent") { $0.contains("Connected") }
    try await fixture.bluez.end("silent", by: 9)
    #expect(try await channel.ended() == .closedByPeer)
    #expect(try await channel.receive() == nil)
    _ = try await fixture.link.readRemoteVersion()
}

/// Expects that the end of the link ends its channel on both sides.
private func endByDisconnection(in fixture: LinkFixture) async throws {
    let work = KernelChannel(work: .listenAndReceive, psm: 0x00B3)
    try await fixture.bluez.start(work, as: "last")
    let channel = try await fixture.link.openChannel(psm: 0x00B3)
    var report = KernelReport()
    try await fixture.bluez.follow(&report, of: "last", until: \.isReceiving)
    try await fixture.link.disconnect()
    let end = try await channel.ended()
    // btvirt of BlueZ 5.66 gives the side that ends a link the reason that it gives the peer.
    let isOld = fixture.bluez.setting.release == .bookworm
    let reason: HCI.ErrorCode =
        isOld ? .remoteUserTerminatedConnection : .connectionTerminatedByLocalHost
    #expect(end == .linkEnded(.disconnected(reason)))
    try await fixture.bluez.follow(&report, of: "last")
}
