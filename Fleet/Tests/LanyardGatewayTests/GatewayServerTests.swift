// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayProtocol
import NIOCore
import NIOPosix
import Testing

@testable import LanyardGateway

@Suite("A gateway and a host over TLS, on the loopback interface")
struct GatewayServerTests {
    private static let data: [UInt8] = [0x02, 0x40, 0x00, 0x04, 0x00, 1, 2, 3, 4]

    @Test("A host enrolls with a code, gets the lease, and packets pass in both directions")
    func lease() async throws {
        try await GatewayHarness.run { net in
            try await net.enroll()
            try await net.log.wait(for: "enrolled as pc")
            let host = try net.connect()
            try await host.events.wait(for: "granted by hall")
            host.send(Self.data)
            try await host.events.wait(for: "packets \(Self.data)")
            host.end()
            try await net.log.wait(for: "the lease has ended")
            // The gateway may still be resetting the controller after the first lease.
            var answer: String?
            for _ in 0..<Self.attemptLimit where answer != "granted by hall" {
                let next = try net.connect()
                try await next.events.wait(for: "ed")
                answer = next.events.all.first
            }
            #expect(answer == "granted by hall")
            // The gateway resets the controller before each lease, and after the first.
            #expect(net.controller.resets == 3)
        }
    }

    /// The number of attempts while a gateway resets its controller.
    private static let attemptLimit = 1_000

    @Test("A second host is refused while the first has the lease")
    func secondOwner() async throws {
        try await GatewayHarness.run { net in
            try await net.enroll()
            try await net.enroll("laptop")
            let first = try net.connect()
            try await first.events.wait(for: "granted")
            let second = try net.connect(as: "laptop")
            try await second.events.wait(for: "ended: hall is in use by pc")
            try await net.log.wait(for: "refused: hall is in use by pc")
            #expect(first.events.all == ["granted by hall"])
        }
    }

    @Test("A code works once")
    func replayedCode() async throws {
        try await GatewayHarness.run { net in
            let code = try net.makeCode()
            let purpose = GatewayClient.Purpose.enrollment(secret: code.secret, name: "pc")
            let first = try net.connect(purpose, isTrusted: code.matches)
            try await first.events.wait(for: "granted")
            let thief = try net.connect(purpose, as: "thief", isTrusted: code.matches)
            try await thief.events.wait(for: "ended: the gateway does not know this host")
            try await net.log.wait(for: "its certificate is not enrolled")
            // While a new code is valid, the gateway still refuses the old one.
            _ = try net.makeCode()
            let again = try net.connect(purpose, as: "thief", isTrusted: code.matches)
            try await again.events.wait(for: "ended: the enrollment code is wrong, used or too old")
            try await net.log.wait(for: "the enrollment code is wrong, used or too old")
        }
    }

    @Test("Three wrong secrets end a code")
    func guessing() async throws {
        try await GatewayHarness.run { net in
            let code = try net.makeCode()
            let wrong = GatewayClient.Purpose.enrollment(
                secret: [UInt8](repeating: 0, count: Frame.secretLength),
                name: "thief"
            )
            for _ in 0..<OpenEnrollment.failureLimit {
                let thief = try net.connect(wrong, as: "thief")
                try await thief.events.wait(for: "ended: the enrollment code is wrong")
            }
            let late = try net.connect(
                .enrollment(secret: code.secret, name: "pc"),
                isTrusted: code.matches
            )
            try await late.events.wait(for: "ended: the gateway does not know this host")
        }
    }

    @Test("An unknown host is refused while a code is valid, unless it enrolls")
    func stranger() async throws {
        try await GatewayHarness.run { net in
            _ = try net.makeCode()
            let stranger = try net.connect(as: "stranger")
            try await stranger.events.wait(for: "ended: its certificate is not enrolled")
            try await net.log.wait(for: "refused: its certificate is not enrolled")
        }
    }

    @Test("A host refuses a gateway with another certificate")
    func impostor() async throws {
        try await GatewayHarness.run { net in
            try await net.enroll()
            let host = try net.connect(isTrusted: { _ in false })
            try await host.events.wait(for: "ended: its certificate is not that of the gateway")
            #expect(!host.events.all.contains { $0.hasPrefix("granted") })
        }
    }

    @Test("Garbage on the port is refused with a line in the log")
    func garbage() async throws {
        try await GatewayHarness.run { net in
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            // Written on the event loop, because this task can wait longer for a thread than the
            // gateway for the handshake.
            let channel = try await ClientBootstrap(group: group)
                .connect(host: "127.0.0.1", port: net.port)
                .flatMap { channel in
                    channel.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.0\r\n\r\n"))
                        .map { channel }
                }.get()
            try await net.log.wait(for: "refused: it does not use TLS")
            try await channel.closeFuture.get()
            try await group.shutdownGracefully()
        }
    }

    // MARK: OpenSSL as the other side

    private func openssl(_ arguments: String...) throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["timeout", "20", "openssl"] + arguments
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }

    @Test("OpenSSL needs TLS 1.3 and an enrolled certificate")
    func clientOfOpenSSL() async throws {
        try await GatewayHarness.run { net in
            try await net.enroll()
            let address = "127.0.0.1:\(net.port)"
            let known = try openssl(
                "s_client",
                "-connect",
                address,
                "-cert",
                net.folder + "/pc/certificate.pem",
                "-key",
                net.folder + "/pc/key.pem",
                "-alpn",
                "lanyard-gateway/1"
            )
            #expect(known.output.contains("TLSv1.3"))
            #expect(known.output.contains("ALPN protocol: lanyard-gateway/1"))

            // With -ign_eof the client stays until the gateway has refused it.
            _ = try openssl("s_client", "-ign_eof", "-connect", address)
            try await net.log.wait(for: "refused: it has no certificate")

            _ = try openssl("s_client", "-connect", address, "-tls1_2")
            try await net.log.wait(for: "refused: it does not support TLS 1.3")

            let stranger = try openssl(
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=lanyard",
                "-keyout",
                net.folder + "/stranger.key",
                "-out",
                net.folder + "/stranger.pem"
            )
            #expect(stranger.status == 0, "\(stranger.output)")
            _ = try openssl(
                "s_client",
                "-ign_eof",
                "-connect",
                address,
                "-cert",
                net.folder + "/stranger.pem",
                "-key",
                net.folder + "/stranger.key"
            )
            try await net.log.wait(for: "refused: its certificate is not enrolled")
        }
    }

    @Test("A gateway's folder has its own key and certificates, for its owner only")
    func folder() async throws {
        try await GatewayHarness.run { net in
            try await net.enroll()
            let host = try net.connect()
            try await host.events.wait(for: "granted")
            host.send(Self.data)
            try await host.events.wait(for: "packets")
            let path = net.folder + "/gateway"
            let names = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
            #expect(names == ["certificate.pem", "hosts", "hosts/pc.der", "key.pem"])
            for name in names where !name.hasSuffix("hosts") {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
        }
    }
}
