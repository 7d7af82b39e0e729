// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Data on credit-based channels between our host and Linux, in both directions.
@Suite(.machines) struct ChannelDataTests {
    @Test(
        "Channels that the host opens carry data in both directions",
        arguments: Setting.each(BlueZRole.peripheral, orElse: .central)
    )
    func hostOpensChannels(
        _ setting: Setting,
        _ role: BlueZRole
    ) async throws {
        try await withLink(setting, as: role, "L2CAP: channels that the host opens") { fixture in
            try await expectKernelReceives(64, of: 1_000, in: fixture)
            try await expectKernelSends(40, of: 900, in: fixture)
        }
    }

    @Test(
        "Channels that the kernel opens carry data in both directions at once",
        arguments: Setting.each(BlueZRole.central, orElse: .peripheral)
    )
    func kernelOpensChannels(
        _ setting: Setting,
        _ role: BlueZRole
    ) async throws {
        try await withLink(setting, as: role, "L2CAP: channels that BlueZ opens") { fixture in
            async let received: Void = expectFromKernel(30, of: 700, in: fixture)
            async let sent: Void = expectToKernel(30, of: 600, in: fixture)
            _ = try await (received, sent)
        }
    }
}

/// Sends SDUs with the content that l2test expects.
func send(_ count: Int, of length: Int, on channel: L2CAPChannel) async throws {
    for number in 0..<count { try await channel.send(kernelSDU(number, length: length)) }
}

/// Expects that the next SDUs are the first ones that l2test sends.
func expectSDUs(
    _ count: Int,
    of length: Int,
    on channel: L2CAPChannel,
    at location: SourceLocation = #_sourceLocation
) async throws {
    for number in 0..<count {
        let sdu = try await channel.receive()
        #expect(sdu == kernelSDU(number, length: length), sourceLocation: location)
    }
}

/// Expects that the kernel receives this many SDUs without a mismatch on a channel that our host
/// opens.
private func expectKernelReceives(
    _ count: Int,
    of length: Int,
    in fixture: LinkFixture
) async throws {
    let work = KernelChannel(
        work: .listenAndReceive,
        psm: 0x0081,
        length: length,
        receiveMTU: 1_024
    )
    try await fixture.bluez.start(work, as: "receiver")
    let channel = try await fixture.link.openChannel(psm: 0x0081)
    #expect(try await channel.properties.sendMTU == 1_024)
    try await send(count, of: length, on: channel)
    // Linux drops data that a program has not read yet when the peer closes the channel.
    var report = KernelReport()
    try await fixture.bluez.follow(&report, of: "receiver") { $0.byteCount == count * length }
    await channel.close()
    try await fixture.bluez.follow(&report, of: "receiver")
    #expect(report.mismatches == [])
    #expect(report.isOrderly)
}

/// Expects that the kernel sends this many SDUs on a channel that our host opens.
private func expectKernelSends(
    _ count: Int,
    of length: Int,
    in fixture: LinkFixture
) async throws {
    let work = KernelChannel(work: .listenAndSend, psm: 0x0083, length: length, count: count)
    try await fixture.bluez.start(work, as: "sender")
    let channel = try await fixture.link.openChannel(psm: 0x0083)
    try await expectSDUs(count, of: length, on: channel)
    await channel.close()
}

/// Expects that the kernel sends this many SDUs on a channel that it opens.
private func expectFromKernel(_ count: Int, of length: Int, in fixture: LinkFixture) async throws {
    let listener = try await fixture.host.listen(psm: 0x0085)
    let work = KernelChannel(work: .openAndSend, psm: 0x0085, length: length, count: count)
    try await fixture.bluez.start(work, to: fixture.ourAddress, as: "caller")
    let channel = try #require(try await listener.accept())
    #expect(try await channel.properties.mode == .credit)
    try await expectSDUs(count, of: length, on: channel)
    await channel.close()
}

/// Expects that the kernel receives this many SDUs without a mismatch on a channel that it opens.
private func expectToKernel(_ count: Int, of length: Int, in fixture: LinkFixture) async throws {
    let listener = try await fixture.host.listen(psm: 0x0087)
    let work = KernelChannel(work: .openAndReceive, psm: 0x0087, length: length)
    try await fixture.bluez.start(work, to: fixture.ourAddress, as: "reader")
    let channel = try #require(try await listener.accept())
    try await send(count, of: length, on: channel)
    var report = KernelReport()
    try await fixture.bluez.follow(&report, of: "reader") { $0.byteCount == count * length }
    #expect(report.mismatches == [])
    await channel.close()
}
