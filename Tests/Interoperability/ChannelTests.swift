// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// Credit-based channels of both kinds, opened to Bumble's host and by it.
@Suite(.needsPeers) struct ChannelTests {
    private static let mebibyte = 1 << 20

    @Test("Bumble receives a mebibyte over a channel", arguments: ControllerKind.available)
    func sendsMebibyte(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, _ in
            let channel = try await link.openChannel(psm: 0x0081)
            try await send(Self.mebibyte, on: channel)
            #expect(try await mark(channel) == "\(Self.mebibyte) none")
            await channel.close()
        }
    }

    @Test("The host receives a mebibyte over a channel", arguments: ControllerKind.available)
    func receivesMebibyte(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, _ in
            let channel = try await link.openChannel(psm: 0x0082)
            try await channel.send(Array("\(Self.mebibyte)".utf8))
            var received: [UInt8] = []
            for try await sdu in channel.sdus { received += sdu }
            #expect(received == pattern(0..<Self.mebibyte))
            #expect(try await channel.ended() == .closedByPeer)
        }
    }

    @Test(
        "Five enhanced channels carry data in both directions at once",
        arguments: ControllerKind.available
    )
    func fiveChannels(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, _ in
            let channels = try await link.openEnhancedChannels(psm: 0x0080, count: 5)
            #expect(channels.count == 5)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for channel in channels {
                    group.addTask { try await echoes(40_000, on: channel) }
                }
                for try await isSame in group { #expect(isSame) }
            }
            for channel in channels { await channel.close() }
        }
    }

    @Test("Reads complete while a channel sends", arguments: ControllerKind.available)
    func readsBesideChannel(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, _ in
            let channel = try await link.openChannel(psm: 0x0081)
            async let sent: Void = send(200_000, on: channel)
            for _ in 0..<10 {
                let values = try await link.read(uuid: GATT.AttributeType.deviceName)
                #expect(!values.isEmpty)
            }
            try await sent
            #expect(try await mark(channel) == "200000 none")
        }
    }

    @Test(
        "A channel whose reader pauses stops Bumble and loses no data",
        arguments: ControllerKind.available
    )
    func pausedReader(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, peer in
            let options = L2CAP.ChannelOptions(mtu: 512, mps: 128, window: 10)
            let listener = try await link.host.listen(psm: 0x0090, options: options)
            #expect(try await peer.ask("open 0x90")["opened"] == .number(1))
            let channel = try #require(try await listener.accept())
            _ = try await peer.ask("send 100000")
            try await within(HostFixture.limit, "the credits to run out") {
                while try await peer.ask("state")["credits"] != .number(0) {}
            }
            // The answer arrives after all data that was sent before it.
            _ = try await link.read(uuid: GATT.AttributeType.deviceName)
            #expect(try await channel.properties.receiveCredits == 0)
            #expect(try await peer.ask("state")["credits"] == .number(0))
            var received: [UInt8] = []
            while received.count < 100_000 {
                received += try #require(try await channel.receive())
            }
            #expect(received == pattern(0..<100_000))
            #expect(try await peer.ask("drained")["drained"] == .boolean(true))
        }
    }

    @Test("Bumble opens several channels and closes them", arguments: ControllerKind.available)
    func bumbleOpensChannels(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, peer in
            let listener = try await link.host.listen()
            let number = listener.psm.rawValue
            #expect(L2CAP.SPSM.dynamicRange.contains(number))
            #expect(try await peer.ask("several \(number) 3")["opened"] == .number(3))
            var channels: [L2CAPChannel] = []
            for _ in 0..<3 { channels.append(try #require(try await listener.accept())) }
            try await channels[0].send(pattern(0..<1000))
            _ = try await peer.ask("close")
            #expect(try await channels[0].receive() == nil)
            #expect(try await channels[0].ended() == .closedByPeer)
            #expect(try await channels[1].properties.mode == .enhanced)
        }
    }

    @Test(
        "A refused channel reports its reason in both directions",
        arguments: ControllerKind.available
    )
    func refusals(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, peer in
            await #expect(throws: L2CAP.Failure.refused(.spsmNotSupported)) {
                try await link.openChannel(psm: 0x0099)
            }
            await #expect(throws: L2CAP.Failure.refused(.spsmNotSupported)) {
                try await link.openEnhancedChannels(psm: 0x0099, count: 2)
            }
            #expect(try await peer.ask("open 0x99")["refused"] == .number(2))
            let secured = try await link.host.listen(psm: 0x0091, requirement: .encrypted)
            #expect(try await peer.ask("open 0x91")["refused"] == .number(5))
            #expect(try await peer.ask("several 0x91 2")["refused"] == .number(5))
            await secured.close()
            #expect(try await peer.ask("open 0x91")["refused"] == .number(2))
        }
    }

    @Test("The end of a link ends its channels", arguments: ControllerKind.available)
    func endOfLink(kind: ControllerKind) async throws {
        try await withChannels(on: kind) { link, _ in
            let channel = try await link.openChannel(psm: 0x0080)
            let reader = Task { try await channel.receive() }
            try await link.disconnect()
            await #expect(throws: HostError.self) { try await reader.value }
            await #expect(throws: HostError.self) { try await channel.send([1]) }
            guard case .linkEnded = try await channel.ended() else {
                Issue.record("the channel did not end with the link")
                return
            }
        }
    }
}

/// `lanyard channel` with a Bumble peer.
@Suite(.needsPeers) struct ChannelCommandTests {
    @Test(
        "The channel open command carries bytes both ways and ends with the peer",
        arguments: ControllerKind.available
    )
    func openCommand(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let peer = try await channelPeer(peers, on: controllers.adapters[0])
            let sent = pattern(0..<100_000)
            let arguments = "channel open \(peer.address) --psm 0x83 --wait"
            let (received, ending) = try await run(
                arguments,
                on: controllers.adapters[1],
                input: sent
            )
            #expect(ending == .exited(0))
            #expect((received == sent) == true)
        }
    }

    @Test(
        "The channel listen command receives the bytes of a central",
        arguments: ControllerKind.available
    )
    func listenCommand(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let listener = try LanyardTool.start(
                ["channel", "listen", "--psm", "0x90", "--name", "Lanyard Pipe"],
                adapter: controllers.adapters[1]
            )
            let peer = try await channelPeer(
                peers,
                on: controllers.adapters[0],
                options: ["--connect", "Lanyard Pipe"]
            )
            #expect(try await peer.ask("open 0x90")["opened"] == .number(1))
            listener.write(line: "hello")
            while try await peer.ask("state")["data"] != .number(6) {}
            _ = try await peer.ask("send 65")
            #expect(try await peer.ask("drained")["drained"] == .boolean(true))
            #expect(try await peer.ask("close")["closed"] == .boolean(true))
            let (output, ending) = try await listener.waitUntilEnd(within: HostFixture.limit)
            #expect(Array(output.utf8) == pattern(0..<65))
            #expect(ending == .exited(0))
        }
    }

    @Test("The channel open command reports a refusal")
    func refusedCommand() async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(.bumble)
            let peer = try await channelPeer(peers, on: controllers.adapters[0])
            let result = try await LanyardTool.run(
                "channel",
                "open",
                peer.address,
                "--psm",
                "0x99",
                adapter: controllers.adapters[1]
            )
            #expect(result.ending == .exited(77))
            #expect(result.errors.contains("the peer has no listener for the SPSM"))
        }
    }

    private func channelPeer(
        _ peers: PeerGroup,
        on adapter: String,
        options: [String] = []
    ) async throws -> ChannelPeer {
        let script = PeerInstallation.scripts + "channels.py"
        let arguments = [script, "--adapter", adapter] + options
        let peer = try await peers.start(PeerInstallation.python, arguments)
        return ChannelPeer(process: peer.process, address: peer.facts["address"].text ?? "")
    }

    /// Runs the tool with a file as its input. Returns its output, byte for byte.
    private func run(
        _ arguments: String,
        on adapter: String,
        input: [UInt8]
    ) async throws -> (output: [UInt8], ending: ChildProcess.Ending) {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try Data(input).write(to: URL(fileURLWithPath: path + ".in"))
        defer { for suffix in [".in", ".out"] { unlink(path + suffix) } }
        let command = "'\(LanyardTool.path)' \(arguments) < '\(path).in' > '\(path).out'"
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", command],
            environment: ["LANYARD_ADAPTER": adapter]
        )
        let (_, ending) = try await process.waitUntilEnd(within: .seconds(60))
        let output = try Data(contentsOf: URL(fileURLWithPath: path + ".out"))
        return (Array(output), ending)
    }
}

/// A Bumble peer with channels, and its commands.
struct ChannelPeer: Sendable {
    let process: ChildProcess
    var address = ""

    /// Sends a line and returns the answer.
    func ask(_ line: String) async throws -> JSON {
        process.write(line: line)
        guard let answer = try await process.nextLine(within: .seconds(130)) else {
            throw ProcessError.ended("the peer ended", log: process.log)
        }
        return try JSON(parsing: answer)
    }
}

/// Returns the bytes that all sides send. Each depends on its position.
private func pattern(_ range: Range<Int>) -> [UInt8] {
    range.map { UInt8(truncatingIfNeeded: $0 + $0 >> 8) }
}

/// Sends this many bytes of the pattern in SDUs of the peer's maximum size.
private func send(_ count: Int, on channel: L2CAPChannel) async throws {
    let length = try await channel.properties.sendMTU
    for start in stride(from: 0, to: count, by: length) {
        try await channel.send(pattern(start..<min(count, start + length)))
    }
}

/// Returns the number of received bytes and the first wrong position, as the sink reports them.
private func mark(_ channel: L2CAPChannel) async throws -> String {
    try await channel.send([0])
    return String(decoding: try await channel.receive() ?? [], as: UTF8.self)
}

/// Sends this many bytes to an echo channel, and compares the echo.
private func echoes(_ count: Int, on channel: L2CAPChannel) async throws -> Bool {
    async let sent: Void = send(count, on: channel)
    var received: [UInt8] = []
    while received.count < count, let sdu = try await channel.receive() { received += sdu }
    try await sent
    return received == pattern(0..<count)
}

/// Gives `body` a link to a Bumble peer with channels.
private func withChannels(
    on kind: ControllerKind,
    _ body: @escaping @Sendable (Link, ChannelPeer) async throws -> Void
) async throws {
    try await withHostFixture(on: kind) { fixture in
        let script = PeerInstallation.scripts + "channels.py"
        let peer = try await fixture.peers.start(
            PeerInstallation.python,
            [script, "--adapter", fixture.controllers.adapters[1]]
        )
        let link = try await fixture.connect()
        try await within(.seconds(150), "the channels") {
            try await body(link, ChannelPeer(process: peer.process))
        }
    }
}
