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

    enum Fault: CaseIterable, Sendable {
        /// No program listens at the address.
        case refuses
        /// The address does not answer.
        case isSilent
    }

    @Test("A host gets the lease if only the IPv4 address works", arguments: Fault.allCases)
    func deadIPv6(fault: Fault) async throws {
        try await check(gateway: "127.0.0.1", dead: "::1", fault)
    }

    @Test("A host gets the lease if only the IPv6 address works", arguments: Fault.allCases)
    func deadIPv4(fault: Fault) async throws {
        try await check(gateway: "::1", dead: "127.0.0.1", fault)
    }

    private func check(gateway: String, dead: String, _ fault: Fault) async throws {
        try await GatewayHarness.run(at: gateway) { net in
            try await net.enroll()
            let silent =
                fault == .isSilent ? try DeadAddress(host: dead, port: UInt16(net.port)) : nil
            defer { silent?.close() }
            let start = ContinuousClock.now
            let host = try net.connect(addresses: [gateway, dead])
            try await host.events.wait(for: "ed")
            #expect(host.events.all == ["granted by hall"])
            #expect(ContinuousClock.now - start < Self.limit)
        }
    }

    @Test("If no program listens at any address, the reason is that the connection was refused")
    func deadAddresses() async throws {
        try await GatewayHarness.run { net in
            try await net.enroll()
            // No program listens at the port that the system has just given back.
            let free = try DeadAddress(host: "127.0.0.1", port: 0)
            let port = free.port
            free.close()
            let host = try net.connect(addresses: ["127.0.0.1", "::1"], port: Int(port))
            try await host.events.wait(for: "ended: the connection was refused")
        }
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

/// A port at which connection attempts get no answer: the queue of a listener that accepts no
/// connection is full, and Linux then drops further requests.
struct DeadAddress {
    struct Failure: Error { let code: Int32 }

    /// The number of connections that fill the queue of a listener.
    private static let fillCount = 4

    static let hasIPv6: Bool = {
        guard let address = try? DeadAddress(host: "::1", port: 0) else { return false }
        address.close()
        return true
    }()

    let port: UInt16
    private let descriptors: [Int32]

    init(host: String, port: UInt16) throws {
        let address = try SocketAddress(ipAddress: host, port: Int(port))
        let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let listener = socket(family, kind, 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard address.withSockAddr({ bind(listener, $0, socklen_t($1)) }) == 0,
            listen(listener, 0) == 0
        else {
            Foundation.close(listener)
            throw Failure(code: errno)
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) { bytes in
            _ = bytes.withMemoryRebound(to: sockaddr.self) {
                getsockname(listener, $0.baseAddress, &length)
            }
        }
        // The port is at the same offset in the addresses of both families.
        let own = withUnsafeBytes(of: storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
        self.port = own
        let target = try SocketAddress(ipAddress: host, port: Int(own))
        let fillers = (0..<Self.fillCount).map { _ in
            let filler = socket(family, kind, 0)
            _ = target.withSockAddr { connect(filler, $0, socklen_t($1)) }
            return filler
        }
        descriptors = [listener] + fillers
    }

    func close() {
        for descriptor in descriptors { Foundation.close(descriptor) }
    }
}
