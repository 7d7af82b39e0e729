// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import LanyardGateway

/// Tests of a gateway whose name has an IPv6 and an IPv4 address. One of these, or neither, works
/// (RFC 8305).
@Suite("A gateway with several addresses", .enabled(if: DeadAddress.hasIPv6))
struct AddressTests {
    /// The time in which a host must have the lease. The limit of a connection attempt is 10
    /// seconds.
    private static let limit = Duration.seconds(3)

    /// The number of ports that a test tries, because the system chooses a port that is free at the
    /// gateway's address only.
    private static let portAttempts = 16

    @Test(
        "A host gets the lease if only the IPv4 address works",
        arguments: DeadAddress.Fault.allCases
    )
    func deadIPv6(fault: DeadAddress.Fault) async throws {
        try await check(gateway: "127.0.0.1", dead: "::1", fault)
    }

    @Test(
        "A host gets the lease if only the IPv6 address works",
        arguments: DeadAddress.Fault.allCases
    )
    func deadIPv4(fault: DeadAddress.Fault) async throws {
        try await check(gateway: "::1", dead: "127.0.0.1", fault)
    }

    private func check(gateway: String, dead: String, _ fault: DeadAddress.Fault) async throws {
        try await onFreePort {
            try await GatewayHarness.run(at: gateway) { net in
                let dead = try DeadAddress(fault, host: dead, port: UInt16(net.port))
                defer { dead.close() }
                try await net.enroll()
                let start = ContinuousClock.now
                let host = try net.connect(addresses: [gateway, dead.host])
                try await host.events.wait(for: "ed")
                #expect(host.events.all == ["granted by hall"])
                #expect(ContinuousClock.now - start < Self.limit)
            }
        }
    }

    @Test("If no program listens at any address, the reason is that the connection was refused")
    func deadAddresses() async throws {
        try await onFreePort {
            try await GatewayHarness.run { net in
                try await net.enroll()
                let first = try DeadAddress(.refuses, host: "127.0.0.1", port: 0)
                defer { first.close() }
                let second = try DeadAddress(.refuses, host: "::1", port: first.port)
                defer { second.close() }
                let host = try net.connect(
                    addresses: [first.host, second.host],
                    port: Int(first.port)
                )
                try await host.events.wait(for: "ended: the connection was refused")
            }
        }
    }

    /// Runs `body`, and runs it again if a program already uses the port at the second address.
    private func onFreePort(_ body: () async throws -> Void) async throws {
        for _ in 1..<Self.portAttempts {
            do {
                return try await body()
            } catch let failure as DeadAddress.Failure where failure.code == EADDRINUSE {}
        }
        try await body()
    }
}

/// A resolver that returns the same addresses for every name.
struct FixedAddresses: Resolver, Sendable {
    let addresses: [String]
    let loop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        answer(port) { !$0.contains(":") }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        answer(port) { $0.contains(":") }
    }

    private func answer(
        _ port: Int,
        _ isWanted: (String) -> Bool
    ) -> EventLoopFuture<[SocketAddress]> {
        loop.makeCompletedFuture {
            try addresses.filter(isWanted).map { try SocketAddress(ipAddress: $0, port: port) }
        }
    }

    func cancelQueries() {}
}

/// A port at which no program accepts connections. It stays reserved until `close()`.
struct DeadAddress {
    enum Fault: CaseIterable, Sendable {
        /// The system refuses each connection, because no program listens.
        case refuses
        /// The system does not answer, because the queue of a listener that accepts no connection
        /// is full: Linux then drops further requests.
        case isSilent
    }

    struct Failure: Error { let code: Int32 }

    /// The number of connections that fill the queue of a listener.
    private static let fillCount = 4

    static let hasIPv6: Bool = {
        guard let address = try? DeadAddress(.refuses, host: "::1", port: 0) else { return false }
        address.close()
        return true
    }()

    let host: String
    let port: UInt16
    private let descriptors: [Int32]

    /// Reserves a port.
    ///
    /// - Parameter port: The port; 0 for one that the system chooses.
    /// - Throws: ``Failure`` with `EADDRINUSE` if another program uses the port.
    init(_ fault: Fault, host: String, port: UInt16) throws {
        let address = try SocketAddress(ipAddress: host, port: Int(port))
        let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let reserved = socket(family, kind, 0)
        guard address.withSockAddr({ bind(reserved, $0, socklen_t($1)) }) == 0,
            fault == .refuses || listen(reserved, 0) == 0
        else {
            let code = errno
            Foundation.close(reserved)
            throw Failure(code: code)
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) { bytes in
            _ = bytes.withMemoryRebound(to: sockaddr.self) {
                getsockname(reserved, $0.baseAddress, &length)
            }
        }
        // The port is at the same offset in the addresses of both families.
        let own = withUnsafeBytes(of: storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
        let target = try SocketAddress(ipAddress: host, port: Int(own))
        let fillers = (0..<(fault == .isSilent ? Self.fillCount : 0)).map { _ in
            let filler = socket(family, kind, 0)
            _ = target.withSockAddr { connect(filler, $0, socklen_t($1)) }
            return filler
        }
        (self.host, self.port) = (host, own)
        descriptors = [reserved] + fillers
    }

    func close() {
        for descriptor in descriptors { Foundation.close(descriptor) }
    }
}
